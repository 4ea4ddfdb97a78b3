import type { WirePush, WirePushing } from '../wire.js';
import { command } from './commands.js';
import { button, type Child, el, field } from './dom.js';
import { live } from './live.js';
import { statusClass } from './status.js';
import { t } from './texts.js';

/** Where new events are pushed, and a form that changes it. */
export class Webhook {
  readonly element: HTMLElement;
  readonly #list = el('ul');
  readonly #stop = button(t().events.pushStop, () =>
    command('DELETE', 'pushes', undefined, t().events.pushStopped),
  );
  #shown = '';

  /** @param clientId - the store whose events are to be pushed; '' for all. */
  constructor(clientId: () => string) {
    const texts = t().events;
    const address = el('input', {
      type: 'url',
      required: true,
    });
    const start = (event: Event) => {
      event.preventDefault();
      const store = clientId() === '' ? {} : { clientId: clientId() };
      void command('PUT', 'pushes', { url: address.value, ...store }, texts.pushStarted);
    };
    const form = el(
      'details',
      {},
      el('summary', {}, texts.push),
      el('p', { class: 'quiet' }, texts.pushHint),
      el(
        'form',
        { class: 'bar', onsubmit: start },
        field(texts.pushAddress, address),
        el('button', { class: 'primary' }, texts.pushStart),
      ),
    );
    this.element = el(
      'div',
      { class: 'webhook' },
      el('div', { class: 'line' }, this.#list, this.#stop),
      form,
    );
  }

  update(pushes: readonly WirePushing[] = []): void {
    const text = JSON.stringify(pushes);
    if (text === this.#shown) return;
    this.#shown = text;
    this.#stop.hidden = pushes.length === 0;
    this.#list.replaceChildren(
      ...pushes.map(({ target, stores }) =>
        el(
          'li',
          {},
          t().events.pushTo,
          ' ',
          el('code', {}, target),
          live.summary.stores.length > 1 && el('span', { class: 'quiet' }, ` · ${storesText(stores)}`),
        ),
      ),
    );
  }
}

const storesText = (stores: readonly string[]): string =>
  stores.length === live.summary.stores.length ? t().allStores : stores.join(', ');

/** The latest try to push an event, such as `push 2: 503`. */
export const pushText = ({ attempt, status }: WirePush): Child =>
  el(
    'span',
    { class: 'push' },
    `${t().events.pushTry(attempt)} `,
    el('span', { class: statusClass(status) }, status ?? t().requests.noResponse),
  );
