import { readPoll } from '../../../events/read.js';
import { type HubResponse, readJson } from '../../../http/body.js';
import type { EndpointName } from '../../../hub/endpoints.js';
import { readMerchant } from '../../../merchant/read.js';
import { readLeniently } from '../../../orders/read.js';
import { isObject, parseJson } from '../../../reading/json.js';
import type { OrderEvent } from '../../../schemas/event.js';
import { EVENT_TYPES } from '../../../schemas/event-types.js';
import { isSuccess } from '../../exchange.js';

/**
 * Why a request was sent.
 *
 * - `first`: the client used the endpoint as an application does.
 * - `again`: the same once more.
 * - `wrong_credential`: with a random secret, token or key.
 * - `malformed`: with an invalid parameter.
 */
export type Purpose = 'first' | 'again' | 'wrong_credential' | 'malformed';

export interface Exchange {
  readonly endpoint: EndpointName;
  readonly purpose: Purpose;
  /** When it was sent, in epoch ms. */
  readonly at: number;
  /** Undefined: the connection broke, or no response came. */
  readonly status: number | undefined;
  /** The headers that a check reads, with names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined: it was too long to keep, or not read to its end. */
  readonly body: string | undefined;
}

/** What became of an endpoint, with the code of the client's error. */
export interface EndpointResult {
  /** `busy`: not tested, because its rate limit allows no request for longer than the doctor waits. */
  readonly result: 'ok' | 'failed' | 'busy' | 'skipped';
  readonly errorCode?: string;
}

/** Everything that the checks may look at. They look at nothing else, so the same observations give the same findings. */
export interface Observed {
  readonly exchanges: readonly Exchange[];
  readonly results: Readonly<Partial<Record<EndpointName, EndpointResult>>>;
}

export function exchangeOf(
  { exchanges }: Pick<Observed, 'exchanges'>,
  endpoint: EndpointName,
  purpose: Purpose = 'first',
): Exchange | undefined {
  return exchanges.findLast((each) => each.endpoint === endpoint && each.purpose === purpose);
}

/** All exchanges with this endpoint that had a response, in the order in which they were sent. */
export function responsesOf<Each extends Exchange>(
  { exchanges }: { readonly exchanges: readonly Each[] },
  endpoint: EndpointName,
): readonly Each[] {
  return exchanges.filter((each) => each.endpoint === endpoint && each.status !== undefined);
}

/** The parsed body; undefined if it is not JSON. */
export function jsonOf(exchange: Exchange | undefined): unknown {
  return parseJson(exchange?.body ?? '');
}

/** A field of a JSON object; undefined for anything else. */
export function fieldOf(value: unknown, key: string): unknown {
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

/** What the client reads from the response; undefined: there was no such response, or the client cannot read it. */
export const pollOf = (observed: Pick<Observed, 'exchanges'>, purpose?: Purpose) =>
  readingOf(exchangeOf(observed, 'polling', purpose), readPoll);

export const orderOf = (observed: Observed) => readingOf(exchangeOf(observed, 'order'), readLeniently);

export const merchantOf = (observed: Observed) =>
  readingOf(exchangeOf(observed, 'merchant'), (response) => readMerchant(readJson('merchant', response)));

/** The types of events that the spec does not list. */
export function unknownTypesOf(events: readonly OrderEvent[]): ReadonlySet<string> {
  const known: readonly string[] = EVENT_TYPES;
  return new Set(events.map(({ eventType }) => eventType).filter((type) => !known.includes(type)));
}

function readingOf<T>(exchange: Exchange | undefined, read: (response: HubResponse) => T): T | undefined {
  if (exchange?.body === undefined || exchange.status === undefined || !isSuccess(exchange)) return undefined;
  const { status, headers, body, at } = exchange;
  try {
    return read({
      status,
      header: (name) => headers[name],
      body: Buffer.from(body),
      cut: false,
      sentAt: { wall: at, monotonic: 0 },
    });
  } catch {
    return undefined;
  }
}
