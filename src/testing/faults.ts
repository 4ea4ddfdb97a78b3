import * as z from 'zod';
import { ENDPOINT_NAMES, type EndpointName } from '../hub/endpoints.js';
import { FAULT_TYPES, type Fault, type FaultLike, SIMPLE_FAULTS } from './fault.js';
import { parseInput } from './parse-input.js';
import { drawOf } from './random.js';

const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

const headers = z.record(z.string(), z.string()).superRefine((given, context) => {
  for (const [name, value] of Object.entries(given)) {
    if (HEADER_NAME.test(name) && HEADER_VALUE.test(value)) continue;
    context.addIssue(`'${name}' cannot be sent: look for a space or a line break in it or its value`);
  }
});

const endpoint = z.enum(ENDPOINT_NAMES);
const status = z.int().min(200).max(599);

const faultLike = z.union([
  status,
  // Two steps, so that a value that is not a string is of the wrong type.
  z.string().pipe(z.enum(SIMPLE_FAULTS)),
  z.discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('status').optional(),
      status,
      headers: headers.optional(),
      body: z.unknown().optional(),
    }),
    z.strictObject({ type: z.literal('latency'), ms: z.number().min(0) }),
    z.strictObject({ type: z.enum(SIMPLE_FAULTS) }),
  ]),
]);

/** Arguments of `mock.faults.next`. */
export const nextFaults = z.strictObject({
  endpoint,
  fault: faultLike,
  times: z.int().min(1).optional(),
});

/** Input of `mock.faults.random`. */
export const randomFaults = z.strictObject({
  seed: z.union([z.number(), z.string()]),
  rate: z.number().min(0).max(1),
  types: z.array(z.enum(FAULT_TYPES)).optional(),
  endpoints: z.array(endpoint).optional(),
});

/** Input of `mock.faults.random`. */
export interface RandomFaults {
  /** The same seed causes the same faults. */
  readonly seed: number | string;
  /** The share of requests that fail, from 0 to 1. */
  readonly rate: number;
  /** The types to choose from; default: all. */
  readonly types?: ReadonlyArray<Fault['type']> | undefined;
  /** The endpoints that fail; default: all. */
  readonly endpoints?: readonly EndpointName[] | undefined;
}

/** The faults that `random` chooses from, with equal probability. */
const RANDOM_FAULTS: readonly Fault[] = [
  ...SIMPLE_FAULTS.map((type) => ({ type })),
  { type: 'status', status: 500 },
  { type: 'status', status: 503, body: '<html><body>Service Unavailable</body></html>' },
  { type: 'status', status: 429, headers: { 'retry-after': '7' } },
  { type: 'status', status: 429 },
  { type: 'latency', ms: 200 },
  { type: 'latency', ms: 9000 },
];

/** A fault, and which request it meets. */
export interface DrawnFault {
  /** How the request fails. */
  readonly fault: Fault;
  /** The fault meets the nth request to the endpoint. */
  readonly count: number;
}

interface QueuedFault {
  readonly fault: Fault;
  /** How many requests it still meets. */
  times: number;
}

/** Makes requests to a mock hub fail: the next ones, or random ones that a seed reproduces. */
export class Faults {
  readonly #queued = new Map<EndpointName, QueuedFault[]>();
  readonly #counts = new Map<EndpointName, number>();
  readonly #ofStores = new Map<string, Faults>();
  readonly #checkStore: (clientId: string) => unknown;
  #random: RandomFaults | undefined;

  /** @internal */
  constructor(checkStore: (clientId: string) => unknown) {
    this.#checkStore = checkStore;
  }

  /**
   * Makes the next request to an endpoint fail. Faults of several calls apply
   * one after the other.
   *
   * @example
   * ```ts
   * mock.faults.next('polling', 503);
   * mock.faults.next('polling', { status: 429, headers: { 'retry-after': '60' } });
   * mock.faults.next('orderStatus', 'lost', 2);
   * ```
   *
   * @param times - how many requests fail; default 1.
   * @throws {TypeError} an argument is invalid; the message names the valid values.
   */
  next(endpoint: EndpointName, fault: FaultLike, times = 1): void {
    parseInput(nextFaults, { endpoint, fault, times });
    const queue = this.#queued.get(endpoint) ?? [];
    this.#queued.set(endpoint, queue);
    queue.push({ fault: expand(fault), times });
  }

  /**
   * Makes random requests fail from now on. The fault of the nth request to an
   * endpoint depends only on the seed, the endpoint and n. Faults of `next`
   * apply first.
   *
   * @example
   * ```ts
   * mock.faults.random({ seed: 7, rate: 0.1, types: ['status', 'lost'] });
   * ```
   *
   * @throws {TypeError} an option is missing, unknown or invalid.
   */
  random(random: RandomFaults): void {
    this.#random = parseInput(randomFaults, random);
    this.#counts.clear();
  }

  /**
   * The faults of one store: only requests with its credentials meet them, before those of all stores.
   *
   * @example
   * ```ts
   * mock.faults.ofStore('2002').next('polling', 503);
   * ```
   *
   * @throws {TypeError} no store has this `clientId`.
   */
  ofStore(clientId: string): Faults {
    this.#checkStore(clientId);
    const known = this.#ofStores.get(clientId) ?? new Faults(this.#checkStore);
    this.#ofStores.set(clientId, known);
    return known;
  }

  /** Removes all faults, those of `next`, of `random` and of single stores. */
  clear(): void {
    this.#queued.clear();
    this.#counts.clear();
    this.#random = undefined;
    this.#ofStores.clear();
  }

  /**
   * What will fail, for all stores and for each that has faults; for the console.
   *
   * @internal
   */
  get inForce(): ReadonlyArray<{
    readonly next: ReadonlyMap<EndpointName, readonly QueuedFault[]>;
    readonly random?: RandomFaults | undefined;
    readonly clientId?: string | undefined;
  }> {
    const own = { next: this.#queued, ...(this.#random && { random: this.#random }) };
    const ofStores = [...this.#ofStores].flatMap(([clientId, { inForce }]) =>
      inForce.map((each) => ({ ...each, clientId })),
    );
    return [own, ...ofStores];
  }

  /**
   * Takes the fault of a request that has just arrived; undefined if it does not fail.
   *
   * @param clientId - of the store whose credentials the request has.
   */
  draw(endpoint: EndpointName, clientId?: string): Fault | undefined {
    return this.drawCounted(endpoint, clientId)?.fault;
  }

  /** @internal */
  drawCounted(endpoint: EndpointName, clientId?: string): DrawnFault | undefined {
    const ofStore = clientId === undefined ? undefined : this.#ofStores.get(clientId)?.drawCounted(endpoint);
    if (ofStore) return ofStore;
    const count = (this.#counts.get(endpoint) ?? 0) + 1;
    this.#counts.set(endpoint, count);
    const fault = this.#takeQueued(endpoint) ?? this.#drawRandom(endpoint, count);
    return fault && { fault, count };
  }

  #takeQueued(endpoint: EndpointName): Fault | undefined {
    const queue = this.#queued.get(endpoint);
    const [next] = queue ?? [];
    if (!next) return undefined;
    next.times -= 1;
    if (next.times === 0) queue?.shift();
    return next.fault;
  }

  #drawRandom(endpoint: EndpointName, count: number): Fault | undefined {
    const { seed, rate, types, endpoints } = this.#random ?? { seed: 0, rate: 0 };
    if (endpoints && !endpoints.includes(endpoint)) return undefined;
    if (drawOf(seed, endpoint, count) >= rate) return undefined;
    const candidates = RANDOM_FAULTS.filter(({ type }) => !types || types.includes(type));
    return candidates[Math.floor(drawOf(seed, endpoint, count, 'type') * candidates.length)];
  }
}

/** The long form of a short form. */
function expand(fault: FaultLike): Fault {
  if (typeof fault === 'number') return { type: 'status', status: fault };
  if (typeof fault === 'string') return { type: fault };
  return 'status' in fault ? { ...fault, type: 'status' } : fault;
}
