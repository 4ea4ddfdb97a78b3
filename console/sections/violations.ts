import type { ViolationRow } from '../../src/testing/console/wire.js';
import { el } from '../dom.js';
import { timeOfDay } from '../format.js';
import { List } from '../list.js';
import { live } from '../live.js';
import type { OpenSection } from '../section.js';
import { t } from '../texts.js';
import { Window } from '../window.js';

/** Each rule that the application has broken, with the request that broke it and what to do. */
export const openViolations: OpenSection = (root, page) => {
  const window = new Window(page.reconnect);
  const empty = el('p', { class: 'empty', hidden: true }, t().violations.empty);
  const items = el('ul', { class: 'violations' });
  const list = new List<ViolationRow>(items, draw);
  root.append(empty, items, window.element);
  return {
    query: () => ({ limit: String(window.limit) }),
    update() {
      const rows = live.rows as ViolationRow[];
      list.update(rows);
      empty.hidden = rows.length > 0;
      window.update(rows.length, live.about.total);
    },
  };
};

function draw({
  rule,
  at,
  message,
  request,
  path,
  method,
  orderId,
  clientId = '',
  endpoint,
}: ViolationRow): HTMLElement {
  const texts = t().violations;
  return el(
    'li',
    { class: 'violation' },
    el(
      'p',
      { class: 'line' },
      el('code', { class: 'chip bad' }, rule),
      endpoint !== undefined && el('span', { class: 'quiet' }, endpoint),
      el('time', { class: 'quiet' }, timeOfDay(at)),
    ),
    el('p', {}, message),
    el('p', { class: 'remedy' }, el('b', {}, texts.remedy), ' ', texts.remedies[rule] ?? ''),
    request !== undefined &&
      (path === undefined
        ? el('p', { class: 'quiet' }, texts.gone)
        : el(
            'p',
            {},
            el('a', { href: `#/requests/${request}`, 'data-focus': 'request' }, texts.request(request)),
            ' ',
            el('code', { class: 'quiet' }, `${method} ${path}`),
          )),
    orderId !== undefined &&
      el(
        'p',
        {},
        el(
          'a',
          { href: `#/orders/${encodeURIComponent(clientId)}/${encodeURIComponent(orderId)}` },
          texts.order,
        ),
        ' ',
        el('code', { class: 'quiet' }, orderId),
      ),
  );
}
