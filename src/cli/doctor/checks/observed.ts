import type { Issue } from '../../../errors/index.js';
import { readPoll } from '../../../events/read.js';
import type { HubResponse } from '../../../http/body.js';
import type { EndpointName } from '../../../hub/endpoints.js';
import { readMerchant } from '../../../merchant/read.js';
import { readLeniently } from '../../../orders/read.js';
import { parseJson } from '../../../reading/json.js';
import type { OrderEvent } from '../../../schemas/event.js';
import { EVENT_TYPES } from '../../../schemas/event-types.js';

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

/** What became of an endpoint: a result of the examination, and the code of the client's error. */
export interface EndpointResult {
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
export function fieldOf(value: unknown, ...keys: readonly string[]): unknown {
  return keys.reduce<unknown>(
    (inner, key) =>
      typeof inner === 'object' && inner !== null && Object.hasOwn(inner, key)
        ? Reflect.get(inner, key)
        : undefined,
    value,
  );
}

export function isSuccess({ status = 0 }: Exchange): boolean {
  return status >= 200 && status < 300;
}

/** What the client reads from a document: its content, and what it says about it. */
export interface Reading<T> {
  readonly value: T;
  readonly issues: readonly Issue[];
}

/** Undefined: there was no such response, or the client cannot read it. */
export function pollOf(
  observed: Pick<Observed, 'exchanges'>,
  purpose?: Purpose,
): Reading<readonly OrderEvent[]> | undefined {
  return readingOf(exchangeOf(observed, 'polling', purpose), (response) => {
    const { events, issues } = readPoll(response);
    return { value: events, issues };
  });
}

/** The types of events that the spec does not list. */
export function unknownTypesOf(events: readonly OrderEvent[]): ReadonlySet<string> {
  const known: readonly string[] = EVENT_TYPES;
  return new Set(events.map(({ eventType }) => eventType).filter((type) => !known.includes(type)));
}

export function orderOf(observed: Observed): Reading<unknown> | undefined {
  return readingOf(exchangeOf(observed, 'order'), (response) => {
    const { order, issues } = readLeniently(response);
    return { value: order, issues };
  });
}

export function merchantOf(observed: Observed): Reading<unknown> | undefined {
  const exchange = exchangeOf(observed, 'merchant');
  return readingOf(exchange, () => {
    const { merchant, issues } = readMerchant(jsonOf(exchange), 'lenient');
    return { value: merchant, issues };
  });
}

function readingOf<T>(
  exchange: Exchange | undefined,
  read: (response: HubResponse) => Reading<T>,
): Reading<T> | undefined {
  if (exchange?.body === undefined || exchange.status === undefined || !isSuccess(exchange)) return undefined;
  const { status, headers, body, at } = exchange;
  try {
    return read({
      status,
      header: (name) => headers[name],
      body: Buffer.from(body),
      cut: false,
      startedAt: at,
      startedMonotonic: 0,
    });
  } catch {
    return undefined;
  }
}
