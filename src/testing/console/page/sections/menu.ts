import type { MenuRow, WireAbout, WireIssue } from '../../wire.js';
import { announce } from '../announce.js';
import { command, request } from '../commands.js';
import { button, el, field, select, setOptions, setText } from '../dom.js';
import { money } from '../format.js';
import { List } from '../list.js';
import { live } from '../live.js';
import { DocumentEditor, issueList } from '../menu-document.js';
import type { OpenSection } from '../section.js';
import { storeLabel, storeOptions } from '../stores.js';
import { t } from '../texts.js';
import { Window } from '../window.js';

interface Offer {
  id: string;
  status?: string;
  price?: { value?: number };
}

/** A store's menu as customers see it, and its document. */
export const openMenu: OpenSection = (root, page) => {
  const texts = t().menu;
  const about = el('p', { class: 'quiet' });
  const window = new Window(page.reconnect);
  const store = select([], '', { onchange: page.reconnect });
  const choice = field(texts.choose, store);
  const empty = el('p', { class: 'empty', hidden: true }, texts.empty);
  const issues = el('div', { class: 'issues' });
  const groups = el('div', { class: 'menu-groups' });
  const lists = new Map<string, { list: List<MenuRow>; element: HTMLElement }>();
  const editor = new DocumentEditor();
  root.append(choice, about, empty, groups, window.element, issues, editor.element);
  let shownIssues = '';
  return {
    query: () => ({ limit: String(window.limit), clientId: page.clientId() || store.value }),
    update() {
      const rows = live.rows as MenuRow[];
      const {
        clientId = '',
        total,
        issues: found = [],
        error,
      } = live.about as WireAbout & { clientId?: string; issues?: WireIssue[]; error?: string };
      choice.hidden = !page.hasManyStores();
      setOptions(store, storeOptions(), clientId);
      setText(about, texts.ofStore(storeLabel(clientId)));
      editor.show(clientId);
      window.update(rows.length, total);
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
            list: new List<MenuRow>(items, draw),
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

function draw(row: MenuRow): HTMLElement {
  const texts = t().menu;
  const isOff = row.status === 'UNAVAILABLE';
  const shownPrice = row.price?.toFixed(2) ?? '';
  const price = el('input', {
    type: 'number',
    min: 0,
    step: '0.01',
    value: shownPrice,
    'aria-label': texts.price(row.name),
    'data-focus': 'price',
    onchange: () => {
      const value = Number(price.value);
      if (price.value === '' || !price.validity.valid) price.value = shownPrice;
      // It announces its own failure.
      else
        void change(row, (offer) =>
          Object.assign(offer, { price: { ...offer.price, value, originalValue: value } }),
        );
    },
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
        el('p', { class: 'why' }, texts.unavailable(reason(row.unavailable))),
    ),
    row.originalPrice !== undefined &&
      row.originalPrice !== row.price &&
      el('s', { class: 'quiet' }, money(row.originalPrice, row.currency)),
    el('span', { class: 'price' }, el('span', { class: 'quiet' }, row.currency), price),
    button(
      isOff ? texts.off : row.unavailable === undefined ? texts.on : texts.onButClosed,
      () => change(row, (offer) => Object.assign(offer, { status: isOff ? 'AVAILABLE' : 'UNAVAILABLE' })),
      {
        class: row.unavailable === undefined ? 'switch' : 'switch is-closed',
        role: 'switch',
        'aria-checked': String(!isOff),
        'aria-label': isOff ? texts.switchOn(row.name) : texts.switchOff(row.name),
        'data-focus': 'switch',
      },
    ),
  );
}

/** Such as `service hours`, in words. */
function reason(why: string): string {
  const { kinds, reasons } = t().menu;
  const [kind = '', name = ''] = why.split(' ');
  return `${kinds[kind] ?? kind} ${reasons[name] ?? name}`;
}

/** Changes one offer of the document, and publishes it. */
async function change({ clientId, offerId }: MenuRow, edit: (offer: Offer) => void): Promise<void> {
  const { ok, body, title } = await request('GET', `ui/menu?${new URLSearchParams({ clientId })}`);
  if (!ok) return announce(title, 'bad');
  const { itemOffers = [] } = body as { itemOffers?: Offer[] };
  for (const offer of itemOffers) if (offer.id === offerId) edit(offer);
  await command('PATCH', `merchant?${new URLSearchParams({ clientId })}`, { itemOffers }, t().menu.published);
}
