import type { LimitRow, TokenRow, WireRow } from '../../wire.js';
import { command } from '../commands.js';
import { button, el, setText } from '../dom.js';
import { live } from '../live.js';
import type { OpenSection } from '../section.js';
import { StoreLimits } from '../store-limits.js';
import { t } from '../texts.js';
import { Window } from '../window.js';

/** Numbers of stores, each with six gauges. */
const FIRST = 6;
const STEP = 24;

/** The windows and tokens of each store, the store with the fullest window first. */
export const openLimits: OpenSection = (root, page) => {
  const texts = t().limits;
  const window = new Window(page.reconnect, FIRST, STEP);
  const hint = el('p', { class: 'quiet' });
  const groups = new Map<string, StoreLimits>();
  const container = el('div', { class: 'stores' });
  root.append(
    hint,
    container,
    window.element,
    el(
      'div',
      { class: 'bar' },
      button(texts.revoke, () => command('DELETE', 'tokens', undefined, texts.revoked)),
    ),
  );
  let order = '';
  const tick = () => {
    for (const group of groups.values()) group.tick();
  };
  return {
    query: () => ({ limit: String(window.limit) }),
    update() {
      const { stores: shown = [] } = live.about as { stores?: readonly string[] };
      setText(hint, shown.length > 1 ? `${texts.hint} ${texts.fullestFirst}` : texts.hint);
      for (const clientId of groups.keys()) if (!shown.includes(clientId)) groups.delete(clientId);
      for (const clientId of shown) {
        const group = groups.get(clientId) ?? new StoreLimits(clientId);
        groups.set(clientId, group);
        const own = (live.rows as (LimitRow | TokenRow)[]).filter((row) => row.clientId === clientId);
        group.update(own.filter(isWindow), own.filter(isToken));
      }
      const next = shown.join('\n');
      if (next !== order)
        container.replaceChildren(...shown.map((each) => (groups.get(each) as StoreLimits).element));
      order = next;
      window.update(shown.length, live.about.total);
      tick();
    },
    tick,
  };
};

const isWindow = (row: WireRow): row is LimitRow => 'endpoint' in row;

const isToken = (row: WireRow): row is TokenRow => 'token' in row;
