import type { LimitRow, TokenRow } from '../wire.js';
import { el, setText } from './dom.js';
import { duration } from './format.js';
import { Gauge } from './gauge.js';
import { List } from './list.js';
import { now } from './live.js';
import { storeLabel } from './stores.js';
import { t } from './texts.js';

/** The windows of one store, and its tokens. */
export class StoreLimits {
  readonly element: HTMLElement;
  readonly #clientId: string;
  readonly #heading = el('h3');
  readonly #gauges = new Map<string, Gauge>();
  readonly #windows = el('div', { class: 'gauges' });
  readonly #noTokens = el('span', { class: 'quiet' }, t().limits.noTokens);
  readonly #tokens = el('ul', { class: 'tokens' });
  readonly #list = new List<TokenRow>(this.#tokens, ({ token, expiresAt }) =>
    el('li', {}, el('code', {}, token), ' ', el('span', { class: 'quiet', 'data-until': expiresAt })),
  );

  constructor(clientId: string) {
    this.#clientId = clientId;
    this.element = el(
      'section',
      { 'aria-label': storeLabel(clientId) },
      this.#heading,
      this.#windows,
      this.#noTokens,
      this.#tokens,
    );
  }

  update(windows: readonly LimitRow[], tokens: readonly TokenRow[]): void {
    setText(this.#heading, storeLabel(this.#clientId));
    for (const row of windows) {
      let gauge = this.#gauges.get(row.key);
      if (!gauge) {
        gauge = new Gauge(row);
        this.#gauges.set(row.key, gauge);
        this.#windows.append(gauge.element);
      }
      gauge.row = row;
    }
    this.#list.update(tokens);
    this.#noTokens.hidden = tokens.length > 0;
  }

  /** Updates what passes with time. */
  tick(): void {
    for (const gauge of this.#gauges.values()) gauge.draw();
    for (const each of this.#tokens.querySelectorAll<HTMLElement>('[data-until]')) {
      setText(each, t().limits.expires(duration(Number(each.dataset.until) - now())));
    }
  }
}
