import type { LimitRow } from '../wire.js';
import { el, setText } from './dom.js';
import { duration, period } from './format.js';
import { monotonic } from './live.js';
import { t } from './texts.js';

/** One window: requests enter it on the right and leave it on the left. */
export class Gauge {
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
    const text = texts.used(inside.length, limit, period(windowMs));
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
