import type { ViolationRow } from '../../wire.js';
import { el, setText } from '../dom.js';
import { timeOfDay } from '../format.js';
import { List } from '../list.js';
import { live } from '../live.js';
import type { OpenSection, Page } from '../section.js';
import { t } from '../texts.js';
import { Window } from '../window.js';

interface Rule {
  readonly element: HTMLElement;
  readonly count: HTMLElement;
  readonly list: List<ViolationRow>;
}

/** Numbers of violations of each rule. */
const FIRST = 10;
const STEP = 100;

/** Each rule that the application has broken and what to do, with the requests that broke it. */
export const openViolations: OpenSection = (root, page) => {
  const window = new Window(page.reconnect, FIRST, STEP);
  const empty = el('p', { class: 'empty', hidden: true }, t().violations.empty);
  const groups = el('div', { class: 'rules' });
  const rules = new Map<string, Rule>();
  root.append(empty, groups, window.element);
  return {
    query: () => ({ limit: String(window.limit) }),
    update() {
      const counts = (live.about.counts ?? {}) as Record<string, number>;
      const byRule = new Map<string, ViolationRow[]>();
      for (const row of live.rows as ViolationRow[]) {
        byRule.set(row.rule, [...(byRule.get(row.rule) ?? []), row]);
      }
      for (const [name, rows] of byRule) {
        const rule = rules.get(name) ?? draw(name, page);
        rules.set(name, rule);
        setText(rule.count, String(counts[name]));
        rule.list.update(rows);
        if (!rule.element.isConnected) groups.append(rule.element);
      }
      for (const [name, { element }] of rules) if (!byRule.has(name)) element.remove();
      empty.hidden = live.rows.length > 0;
      window.update(live.rows.length, live.about.total);
    },
  };
};

function draw(name: string, page: Page): Rule {
  const texts = t().violations;
  const count = el('span', { class: 'count' });
  const items = el('ul');
  const element = el(
    'section',
    { class: 'rule', 'aria-label': name },
    el('h3', { class: 'line' }, el('code', { class: 'chip bad' }, name), count),
    el('p', {}, el('b', {}, texts.remedy), ' ', texts.remedies[name] ?? ''),
    items,
  );
  const list = new List<ViolationRow>(items, (row) => item(row, page.hasManyStores()));
  return { element, count, list };
}

function item(row: ViolationRow, hasStore: boolean): HTMLElement {
  const { at, message, request, path, method, orderId, clientId = '' } = row;
  const texts = t().violations;
  const order = `#/orders/${encodeURIComponent(clientId)}/${encodeURIComponent(orderId ?? '')}`;
  return el(
    'li',
    { class: 'line' },
    el('time', { class: 'quiet' }, timeOfDay(at)),
    el('span', {}, message),
    path !== undefined &&
      !message.includes(path.split('?')[0] as string) &&
      el('code', { class: 'quiet' }, `${method} ${path}`),
    hasStore && clientId !== '' && el('span', { class: 'quiet' }, clientId),
    request !== undefined &&
      (path === undefined
        ? el('span', { class: 'quiet' }, texts.gone)
        : el('a', { href: `#/requests/${request}`, 'data-focus': 'request' }, texts.request(request))),
    orderId !== undefined && el('a', { href: order, 'data-focus': 'order' }, texts.order),
  );
}
