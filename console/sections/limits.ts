import type { LimitRow, TokenRow, WireRow } from '../../src/testing/console/wire.js';
import { command } from '../commands.js';
import { button, el, setText } from '../dom.js';
import { duration } from '../format.js';
import { List } from '../list.js';
import { live, monotonic, now } from '../live.js';
import type { OpenSection } from '../section.js';
import { t } from '../texts.js';

const HOUR_MS = 3_600_000;

/** A gauge for each endpoint: requests enter its window on the right and leave it on the left. */
export const openLimits: OpenSection = (root) => {
  const texts = t().limits;
  const about = el('p', { class: 'quiet' });
  const gauges = new Map<string, Gauge>();
  const container = el('div', { class: 'gauges' });
  const tokens = el('ul', { class: 'tokens' });
  const noTokens = el('p', { class: 'quiet' }, texts.noTokens);
  const list = new List<TokenRow>(tokens, ({ token, expiresAt }) =>
    el('li', {}, el('code', {}, token), ' ', el('span', { class: 'quiet', 'data-until': expiresAt })),
  );
  root.append(
    about,
    container,
    el('h3', {}, texts.tokens),
    noTokens,
    tokens,
    el(
      'div',
      { class: 'bar' },
      button(texts.revoke, () => command('DELETE', 'tokens', undefined, texts.revoked)),
    ),
  );
  const tick = () => {
    for (const gauge of gauges.values()) gauge.draw();
    for (const each of tokens.querySelectorAll<HTMLElement>('[data-until]')) {
      setText(each, texts.expires(duration(Number(each.dataset.until) - now())));
    }
  };
  return {
    update() {
      setText(about, texts.ofStore(String(live.about.clientId ?? '')));
      for (const row of live.rows.filter(isLimit)) {
        let gauge = gauges.get(row.key);
        if (!gauge) {
          gauge = new Gauge(row);
          gauges.set(row.key, gauge);
          container.append(gauge.element);
        }
        gauge.row = row;
      }
      const valid = live.rows.filter((row): row is TokenRow => 'token' in row);
      list.update(valid);
      noTokens.hidden = valid.length > 0;
      tick();
    },
    tick,
  };
};

const isLimit = (row: WireRow): row is LimitRow => 'endpoint' in row;

class Gauge {
  row: LimitRow;
  readonly element: HTMLElement;
  readonly #used = el('span');
  readonly #note = el('span', { class: 'quiet' });
  readonly #track = el('div', { class: 'track', role: 'meter', 'aria-valuemin': 0 });
  readonly #fill = el('div', { class: 'fill' });

  constructor(row: LimitRow) {
    this.row = row;
    this.#track.setAttribute('aria-label', row.endpoint);
    this.#track.setAttribute('aria-valuemax', String(row.limit));
    this.element = el(
      'div',
      { class: 'gauge' },
      el('p', { class: 'line' }, el('b', {}, row.endpoint), this.#used, this.#note),
      el('div', { class: 'bar-of-use' }, this.#fill),
      this.#track,
    );
  }

  draw(): void {
    const { limit, windowMs, times, blockedUntil, resetsAt } = this.row;
    const texts = t().limits;
    const at = monotonic();
    const inside = times.filter((time) => resetsAt !== undefined || at - time < windowMs);
    const text = texts.used(inside.length, limit, windowMs === HOUR_MS ? texts.hour : texts.minute);
    setText(this.#used, text);
    const freeAt = resetsAt ?? (inside[0] ?? at) + windowMs;
    const isFull = inside.length >= limit;
    const left = (blockedUntil ?? 0) - at;
    setText(
      this.#note,
      left > 0 ? texts.blocked(duration(left)) : isFull ? texts.free(duration(freeAt - at)) : '',
    );
    this.element.classList.toggle('is-full', isFull);
    this.element.classList.toggle('is-blocked', left > 0);
    this.#fill.style.width = `${Math.min(100, (inside.length / limit) * 100)}%`;
    this.#track.setAttribute('aria-valuenow', String(inside.length));
    this.#track.setAttribute('aria-valuetext', text);
    while (this.#track.childElementCount > inside.length) this.#track.lastElementChild?.remove();
    while (this.#track.childElementCount < inside.length) this.#track.append(el('i'));
    for (const [index, time] of inside.entries()) {
      const mark = this.#track.children[index] as HTMLElement;
      mark.style.left = `${Math.max(0, 100 - ((at - time) / windowMs) * 100)}%`;
    }
  }
}
