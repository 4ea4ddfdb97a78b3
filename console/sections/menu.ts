import type { MenuRow, WireIssue } from '../../src/testing/console/wire.js';
import { announce } from '../announce.js';
import { command, request } from '../commands.js';
import { button, el, setText } from '../dom.js';
import { money } from '../format.js';
import { List } from '../list.js';
import { live } from '../live.js';
import type { OpenSection } from '../section.js';
import { t } from '../texts.js';

interface Offer {
  id: string;
  status?: string;
  price?: { value?: number };
}

/** A store's menu as customers see it, and its document. */
export const openMenu: OpenSection = (root) => {
  const texts = t().menu;
  const about = el('p', { class: 'quiet' });
  const empty = el('p', { class: 'empty', hidden: true }, texts.empty);
  const issues = el('div', { class: 'issues' });
  const groups = el('div', { class: 'menu-groups' });
  const lists = new Map<string, { list: List<MenuRow>; element: HTMLElement }>();
  const clientId = () => String(live.about.clientId ?? '');
  const editor = documentEditor(clientId);
  root.append(about, empty, groups, issues, editor);
  let shownIssues = '';
  return {
    update() {
      const rows = live.rows as MenuRow[];
      const {
        clientId: store,
        issues: found = [],
        error,
      } = live.about as unknown as { clientId?: string; issues?: WireIssue[]; error?: string };
      setText(about, texts.ofStore(store ?? ''));
      empty.hidden = rows.length > 0;
      const byGroup = new Map<string, MenuRow[]>();
      for (const row of rows) {
        const name = `${row.service} · ${row.category}`;
        byGroup.set(name, [...(byGroup.get(name) ?? []), row]);
      }
      for (const [name, own] of byGroup) {
        let group = lists.get(name);
        if (!group) {
          const items = el('ul', { class: 'offers' });
          group = {
            list: new List<MenuRow>(items, (row) => draw(row, clientId)),
            element: el('section', { 'aria-label': name }, el('h3', {}, name), items),
          };
          lists.set(name, group);
        }
        group.list.update(own);
        if (!group.element.isConnected) groups.append(group.element);
      }
      for (const [name, { element }] of lists) if (!byGroup.has(name)) element.remove();
      const text = JSON.stringify([found, error]);
      if (text !== shownIssues) issues.replaceChildren(issueList(found, error));
      shownIssues = text;
    },
  };
};

function draw(row: MenuRow, clientId: () => string): HTMLElement {
  const texts = t().menu;
  const isOff = row.status === 'UNAVAILABLE';
  const price = el('input', {
    type: 'number',
    min: 0,
    step: '0.01',
    value: row.price?.toFixed(2),
    'aria-label': texts.price(row.name),
    'data-focus': 'price',
    onchange: () =>
      change(clientId(), row.offerId, (offer) =>
        Object.assign(offer, {
          price: { ...offer.price, value: Number(price.value), originalValue: Number(price.value) },
        }),
      ),
  });
  return el(
    'li',
    { class: isOff || row.unavailable !== undefined ? 'offer is-off' : 'offer' },
    el(
      'div',
      {},
      el('b', {}, row.name),
      el(
        'p',
        { class: 'quiet' },
        [row.description, row.options.length > 0 ? texts.options(row.options.join(', ')) : '']
          .filter(Boolean)
          .join(' · '),
      ),
      row.unavailable !== undefined &&
        !isOff &&
        el('p', { class: 'why' }, texts.unavailable(row.unavailable)),
    ),
    row.originalPrice !== undefined &&
      row.originalPrice !== row.price &&
      el('s', { class: 'quiet' }, money(row.originalPrice, row.currency)),
    el('span', { class: 'price' }, el('span', { class: 'quiet' }, row.currency), price),
    button(
      isOff ? texts.off : texts.on,
      () =>
        change(clientId(), row.offerId, (offer) =>
          Object.assign(offer, { status: isOff ? 'AVAILABLE' : 'UNAVAILABLE' }),
        ),
      {
        class: 'switch',
        role: 'switch',
        'aria-checked': String(!isOff),
        'aria-label': isOff ? texts.switchOn(row.name) : texts.switchOff(row.name),
        'data-focus': 'switch',
      },
    ),
  );
}

/** Changes one offer of the document, and publishes it. */
async function change(clientId: string, offerId: string, edit: (offer: Offer) => void): Promise<void> {
  const { ok, body, title } = await request('GET', `ui/menu?${new URLSearchParams({ clientId })}`);
  if (!ok) return announce(title, 'bad');
  const { itemOffers = [] } = body as { itemOffers?: Offer[] };
  for (const offer of itemOffers) if (offer.id === offerId) edit(offer);
  await command('PATCH', `merchant?${new URLSearchParams({ clientId })}`, { itemOffers }, t().menu.published);
}

function issueList(issues: readonly WireIssue[], error: string | undefined): HTMLElement {
  const texts = t().menu;
  if (issues.length === 0 && error === undefined) return el('p', { class: 'quiet' }, texts.noIssues);
  return el(
    'div',
    {},
    el('p', {}, error === undefined ? texts.issues(issues.length) : `${texts.unreadable}: ${error}`),
    el(
      'ul',
      { class: 'plain' },
      ...issues.map(({ path, code, message, against }) =>
        el(
          'li',
          {},
          el('code', {}, path),
          ` ${message} `,
          el('span', { class: 'quiet' }, `${code}, ${against}`),
        ),
      ),
    ),
  );
}

function documentEditor(clientId: () => string): HTMLElement {
  const texts = t().menu;
  const text = el('textarea', { rows: 24, spellcheck: 'false', 'aria-label': texts.document });
  const result = el('div', { role: 'status', class: 'issues' });
  const parsed = (): unknown => {
    try {
      return JSON.parse(text.value);
    } catch (error) {
      result.replaceChildren(
        el('p', { class: 'bad' }, `${texts.notJson} ${error instanceof Error ? error.message : ''}`),
      );
      return undefined;
    }
  };
  const check = async () => {
    const document = parsed();
    if (document === undefined) return;
    const { body } = await request('POST', 'ui/menu', document);
    const { issues, error } = body as { issues: WireIssue[]; error?: string };
    result.replaceChildren(issueList(issues, error));
  };
  const publish = async () => {
    const document = parsed();
    if (document === undefined) return;
    await command(
      'PUT',
      `merchant?${new URLSearchParams({ clientId: clientId() })}`,
      document,
      texts.published,
    );
  };
  const details = el(
    'details',
    {},
    el('summary', {}, texts.edit),
    text,
    el(
      'div',
      { class: 'bar' },
      button(texts.check, check),
      button(texts.publish, publish, { class: 'primary' }),
    ),
    result,
  );
  details.addEventListener('toggle', async () => {
    if (!details.open) return;
    const { ok, body } = await request('GET', `ui/menu?${new URLSearchParams({ clientId: clientId() })}`);
    if (ok) text.value = JSON.stringify(body, undefined, 2);
  });
  return details;
}
