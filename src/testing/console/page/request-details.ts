import type { RequestRow } from '../wire.js';
import { request } from './commands.js';
import { button, type Child, el } from './dom.js';
import { duration, timeOfDay } from './format.js';
import { statusClass } from './status.js';
import { t } from './texts.js';

interface Details {
  readonly row: RequestRow;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly fault?: unknown;
  readonly events?: readonly {
    readonly eventId: string;
    readonly eventType: string;
    readonly orderId: string;
  }[];
  readonly acknowledged?: readonly string[];
  readonly violations: readonly { readonly rule: string; readonly message: string }[];
}

/** Everything about one request, beside the journal. */
export class RequestDetails {
  readonly element = el('aside', { class: 'details', hidden: true });
  #shown: number | undefined;

  show(number: number | undefined): void {
    this.#shown = number;
    this.element.hidden = number === undefined;
    if (number !== undefined) void this.#load(number);
  }

  async #load(number: number): Promise<void> {
    const texts = t().requests;
    const { ok, body } = await request('GET', `ui/request?number=${number}`);
    if (this.#shown !== number) return;
    const heading = el('h3', { tabindex: -1, id: 'request-details' }, texts.details(number));
    const close = () => {
      location.hash = '#/requests';
    };
    this.element.setAttribute('aria-labelledby', 'request-details');
    this.element.replaceChildren(
      el('header', {}, heading, button('×', close, { class: 'plain close', 'aria-label': t().close })),
      el('div', {}, ...(ok ? drawn(body as Details) : [el('p', {}, texts.gone)])),
    );
    heading.focus({ preventScroll: true });
    this.element.scrollIntoView({ block: 'nearest' });
  }
}

function drawn({ row, headers, body, fault, events, acknowledged, violations }: Details): Child[] {
  const texts = t().requests;
  return [
    violations.length > 0 &&
      el(
        'div',
        { class: 'broken' },
        el('h4', {}, texts.broke),
        ...violations.map(({ rule, message }) =>
          el(
            'p',
            {},
            el('code', {}, rule),
            ': ',
            message,
            ' ',
            el('em', {}, t().violations.remedies[rule] ?? ''),
          ),
        ),
      ),
    el('p', {}, el('code', {}, el('b', {}, row.method), ` ${row.path}`)),
    el(
      'p',
      { class: 'quiet' },
      timeOfDay(row.at),
      row.clientId === undefined ? '' : ` · ${t().store} ${row.clientId}`,
      row.endpoint === undefined ? '' : ` · ${row.endpoint}`,
    ),
    el('h4', {}, texts.response),
    el(
      'p',
      {},
      el('span', { class: statusClass(row.status) }, row.status || texts.noResponse),
      row.durationMs === undefined ? '' : ` ${duration(row.durationMs)}`,
    ),
    fault !== undefined &&
      el(
        'p',
        {},
        el('span', { class: 'chip fault' }, texts.fault('')),
        el('code', {}, JSON.stringify(fault)),
      ),
    events &&
      events.length > 0 &&
      el(
        'ul',
        { class: 'plain' },
        ...events.map(({ eventType, eventId }) => el('li', {}, el('code', {}, `${eventType} ${eventId}`))),
      ),
    acknowledged && el('p', {}, texts.acknowledged(acknowledged.length)),
    el('h4', {}, texts.headers),
    el(
      'dl',
      { class: 'headers' },
      ...Object.entries(headers).flatMap(([name, value]) => [el('dt', {}, name), el('dd', {}, value)]),
    ),
    el('h4', {}, texts.body),
    body === '' ? el('p', { class: 'quiet' }, texts.noBody) : el('pre', { tabindex: 0 }, indented(body)),
  ];
}

function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), undefined, 2);
  } catch {
    return body;
  }
}
