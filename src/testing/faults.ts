import { ENDPOINT_NAMES, type EndpointName } from '../endpoints.js';
import { drawOf } from './random.js';

/**
 * What can go wrong with one request.
 *
 * - `status`: this answer, and nothing is processed. A body that is no text is sent as JSON.
 * - `latency`: the answer takes `ms`.
 * - `reset`: the connection breaks, and nothing is processed.
 * - `lost`: processed, then the connection breaks.
 * - `hang`: no answer at all.
 * - `truncate`: the body ends in its middle, and the connection breaks.
 * - `malformed`: the body ends in its middle, as if it were whole.
 * - `dribble`: the body comes a byte a second.
 * - `duplicate`: a poll lists every event twice.
 * - `reorder`: a poll lists its events in another order.
 */
export type Fault =
  | ({ readonly type: 'status' } & StatusFault)
  | { readonly type: 'latency'; readonly ms: number }
  | { readonly type: SimpleFault };

export type SimpleFault =
  | 'reset'
  | 'lost'
  | 'hang'
  | 'truncate'
  | 'malformed'
  | 'dribble'
  | 'duplicate'
  | 'reorder';

/** An answer in the hub's place. */
export interface StatusFault {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** A fault, its name where it needs nothing else, a status, or an answer. */
export type FaultLike = Fault | SimpleFault | StatusFault | number;

const SIMPLE: readonly SimpleFault[] = [
  'reset',
  'lost',
  'hang',
  'truncate',
  'malformed',
  'dribble',
  'duplicate',
  'reorder',
];

export interface RandomFaults {
  readonly seed: number | string;
  /** Of all requests, how many fail: 0 to 1. */
  readonly rate: number;
  /** The kinds to draw from; all of them otherwise. */
  readonly types?: ReadonlyArray<Fault['type']>;
  /** The endpoints that fail; all of them otherwise. */
  readonly endpoints?: readonly EndpointName[];
}

/** Faults of a mock hub: the next ones by hand, or by chance from a seed that can be played again. */
export class Faults {
  readonly #next = new Map<EndpointName, Fault[]>();
  readonly #counts = new Map<EndpointName, number>();
  #random: RandomFaults | undefined;

  /** The next request of the endpoint meets this fault; `times` of them in a row. */
  next(endpoint: EndpointName, fault: FaultLike, times = 1): void {
    checkEndpoint(endpoint);
    if (!(Number.isInteger(times) && times >= 1))
      throw new TypeError('times must be a whole number of at least 1');
    const queue = this.#next.get(endpoint) ?? [];
    this.#next.set(endpoint, queue);
    for (let time = 0; time < times; time += 1) queue.push(faultOf(fault));
  }

  /**
   * From now on requests fail by chance. What the nth request of an endpoint
   * meets depends on the seed, the endpoint and n only.
   */
  random(random: RandomFaults): void {
    if (random.seed === undefined)
      throw new TypeError('seed must be given, or a bad day could not be played again');
    if (!(random.rate >= 0 && random.rate <= 1)) throw new TypeError('rate must be a number of 0 to 1');
    random.types?.forEach(checkType);
    random.endpoints?.forEach(checkEndpoint);
    this.#random = random;
    this.#counts.clear();
  }

  /** No more faults. */
  clear(): void {
    this.#next.clear();
    this.#random = undefined;
  }

  /** The fault of the request that has just come in. */
  draw(endpoint: EndpointName): Fault | undefined {
    const count = (this.#counts.get(endpoint) ?? 0) + 1;
    this.#counts.set(endpoint, count);
    const queued = this.#next.get(endpoint)?.shift();
    if (queued) return queued;
    const { seed, rate, types, endpoints } = this.#random ?? { seed: 0, rate: 0 };
    if (endpoints && !endpoints.includes(endpoint)) return undefined;
    if (drawOf(seed, endpoint, count) >= rate) return undefined;
    const all = DRAWN.filter(({ type }) => !types || types.includes(type));
    return all[Math.floor(drawOf(seed, endpoint, count, 'type') * all.length)];
  }
}

/** What chance draws from, evenly. */
const DRAWN: readonly Fault[] = [
  ...SIMPLE.map((type) => ({ type })),
  { type: 'status', status: 500 },
  { type: 'status', status: 503, body: '<html><body>Service Unavailable</body></html>' },
  { type: 'status', status: 429, headers: { 'retry-after': '7' } },
  { type: 'status', status: 429 },
  { type: 'latency', ms: 200 },
  { type: 'latency', ms: 9000 },
];

function faultOf(fault: FaultLike): Fault {
  const given = inFull(fault);
  const { type, status, ms } = given;
  checkType(type);
  if (type === 'status' && !(Number.isInteger(status) && Number(status) >= 200 && Number(status) <= 599)) {
    throw new TypeError(`a status fault needs a status of 200 to 599, not ${String(status)}`);
  }
  if (type === 'latency' && !(typeof ms === 'number' && ms >= 0)) {
    throw new TypeError(`a latency fault needs ms of at least 0, not ${String(ms)}`);
  }
  return given as unknown as Fault;
}

/** The short forms written out; what is none of them has no type. */
function inFull(fault: unknown): Record<string, unknown> {
  if (typeof fault === 'number') return { type: 'status', status: fault };
  if (typeof fault === 'string') return { type: fault };
  if (typeof fault !== 'object' || fault === null) return {};
  return 'status' in fault ? { type: 'status', ...fault } : { ...fault };
}

function checkType(type: unknown): void {
  const types: readonly unknown[] = [...SIMPLE, 'status', 'latency'];
  if (!types.includes(type))
    throw new TypeError(`'${String(type)}' is no fault; they are ${types.join(', ')}`);
}

function checkEndpoint(endpoint: unknown): void {
  if (ENDPOINT_NAMES.includes(endpoint as EndpointName)) return;
  throw new TypeError(`'${String(endpoint)}' is no endpoint; they are ${ENDPOINT_NAMES.join(', ')}`);
}
