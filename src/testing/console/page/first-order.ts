import { button, el } from './dom.js';
import { live } from './live.js';
import { t } from './texts.js';

/** What a page without orders shows: how to connect an application, and how to create the first order. */
export class FirstOrder {
  readonly element: HTMLElement;
  readonly #settings = el('pre', { tabindex: 0 });

  constructor(create: () => void) {
    const texts = t().first;
    this.element = el(
      'section',
      { class: 'empty first', hidden: true, 'aria-label': texts.title },
      el('h3', {}, texts.title),
      el('p', {}, texts.settings),
      this.#settings,
      el('p', { class: 'quiet' }, texts.secret),
      el('p', {}, texts.create),
      el('pre', { tabindex: 0 }, `curl -X POST ${location.origin}/_mock/orders`),
      button(texts.button, create, { class: 'primary' }),
      el('p', {}, texts.next),
    );
  }

  /** @param clientId - of the store that is selected; '' for all. */
  update(clientId: string): void {
    this.element.hidden = live.about.total > 0;
    const { basePath } = live.about;
    this.#settings.textContent = [
      `HUB_BASE_URL=${location.origin}`,
      basePath !== '/opendelivery' && `HUB_BASE_PATH=${basePath}`,
      `HUB_CLIENT_ID=${clientId || live.summary.stores[0]?.clientId}`,
      'HUB_CLIENT_SECRET=…',
    ]
      .filter(Boolean)
      .join('\n');
  }
}
