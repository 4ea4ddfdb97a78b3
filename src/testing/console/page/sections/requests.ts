import { ENDPOINT_NAMES } from '../../../../hub/endpoints.js';
import type { RequestRow } from '../../wire.js';
import { el, field, select, setText } from '../dom.js';
import { duration, timeOfDay } from '../format.js';
import { List } from '../list.js';
import { live } from '../live.js';
import { RequestDetails } from '../request-details.js';
import type { OpenSection } from '../section.js';
import { statusClass } from '../status.js';
import { t } from '../texts.js';
import { table, Window } from '../window.js';

const TYPING_MS = 250;

/** The journal. The address `#/requests/12` shows the details of request 12. */
export const openRequests: OpenSection = (root, page) => {
  const texts = t().requests;
  const window = new Window(page.reconnect);
  const changed = () => page.reconnect();
  const endpoint = select(
    [['', texts.any], ...ENDPOINT_NAMES.map((name): [string, string] => [name, name])],
    '',
    {
      onchange: changed,
    },
  );
  const failed = el('input', { type: 'checkbox', onchange: changed });
  let typing: ReturnType<typeof setTimeout> | undefined;
  const text = el('input', {
    type: 'search',
    oninput: () => {
      clearTimeout(typing);
      typing = setTimeout(changed, TYPING_MS);
    },
  });
  const details = new RequestDetails();
  const { element, body } = table([
    texts.number,
    texts.time,
    texts.request,
    texts.status,
    texts.duration,
    texts.notes,
  ]);
  const list = new List<RequestRow>(body, (row) => draw(row, page.hasManyStores()));
  const empty = el('p', { class: 'empty', hidden: true });
  let opened = '';
  const mark = () => {
    for (const each of body.querySelectorAll('tr'))
      each.classList.toggle('is-open', each.dataset.number === opened);
  };
  root.append(
    el(
      'div',
      { class: 'bar filters' },
      field(texts.endpoint, endpoint),
      field(texts.search, text),
      el('label', { class: 'choice' }, failed, texts.failed),
    ),
    el('div', { class: 'with-details' }, el('div', {}, empty, element, window.element), details.element),
  );
  return {
    query: () => ({
      limit: String(window.limit),
      endpoint: endpoint.value,
      failed: failed.checked ? '1' : '',
      text: text.value,
    }),
    update() {
      const rows = live.rows as RequestRow[];
      list.update(rows);
      mark();
      element.hidden = rows.length === 0;
      empty.hidden = rows.length > 0;
      setText(empty, live.about.total === 0 ? texts.none : texts.empty);
      window.update(rows.length, live.about.total);
    },
    open([number]) {
      opened = number ?? '';
      details.show(number === undefined ? undefined : Number(number));
      mark();
    },
  };
};

function draw(row: RequestRow, hasStore: boolean): HTMLElement {
  const texts = t().requests;
  const { number, status, fault, events, acknowledged, broken = [] } = row;
  const href = `#/requests/${number}`;
  return el(
    'tr',
    {
      'data-number': number,
      onclick: () => {
        location.hash = href;
      },
    },
    el(
      'td',
      { class: 'number' },
      el('a', { href, 'data-focus': 'open', 'aria-label': texts.details(number) }, number),
    ),
    el('td', { class: 'number' }, timeOfDay(row.at)),
    el(
      'td',
      { class: 'main-cell' },
      el('code', { title: row.path }, el('b', {}, row.method), ` ${shortened(row.path)}`),
      hasStore && row.clientId !== undefined && el('span', { class: 'quiet' }, ` ${row.clientId}`),
    ),
    el('td', {}, el('span', { class: statusClass(status) }, status || texts.noResponse)),
    el('td', { class: 'number quiet' }, row.durationMs === undefined ? '–' : duration(row.durationMs)),
    el(
      'td',
      {},
      fault !== undefined && el('span', { class: 'chip fault' }, texts.fault(fault)),
      ...broken.map((rule) => el('span', { class: 'chip bad' }, rule)),
      events !== undefined && el('span', { class: 'quiet' }, texts.events(events), ' '),
      acknowledged !== undefined && el('span', { class: 'quiet' }, texts.acknowledged(acknowledged)),
    ),
  );
}

/** The ids in a path by their ends: the whole path is in the details. */
const shortened = (path: string): string =>
  path.replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi, (id) => `${id.slice(0, 4)}…${id.slice(-4)}`);
