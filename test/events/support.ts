import {
  type CycleReport,
  type HubClient,
  memoryState,
  type OrderEvent,
  type State,
} from 'opendelivery-client';
import { createMockHub, ManualClock } from 'opendelivery-client/testing';
import { clientOf, gate, type Stage, stage } from '../support.js';

/** What a call of a state is for. */
type Purpose =
  | 'value' // get, set
  | 'slot'
  | 'slot and lease'
  | 'settle'
  | 'shut'
  | 'lease'
  | 'release'
  | 'recall'
  | 'recall and count'
  | 'handled'
  | 'attempts';

interface Request {
  readonly lease?: unknown;
  readonly leaseMs?: number;
  readonly shutMs?: number;
  readonly count?: unknown;
  readonly handled?: boolean;
}

/** By the method and by its request, which is its last argument but one. */
const PURPOSES: Readonly<Record<string, (request: Request, given: readonly unknown[]) => Purpose>> = {
  get: () => 'value',
  set: () => 'value',
  reserve: ({ lease }) => (lease ? 'slot and lease' : 'slot'),
  settle: ({ shutMs }) => (shutMs === undefined ? 'settle' : 'shut'),
  lease: ({ leaseMs }) => (leaseMs === 0 ? 'release' : 'lease'),
  recall: ({ count }) => (count ? 'recall and count' : 'recall'),
  mark: ({ handled }) => (handled ? 'handled' : 'attempts'),
};

/** A call that a test replaces: `next` makes it. */
export type ReplacedCall = (next: () => unknown, ...given: readonly unknown[]) => unknown;

/**
 * A state with the calls of some purposes replaced, so that no test depends on
 * the names of the methods. `slot` is with or without a lease, `recall` with or
 * without a count, unless that purpose has a call of its own.
 */
export function withCalls(state: State, calls: Partial<Record<Purpose, ReplacedCall>>): State {
  return new Proxy(state, {
    get: (target, name: keyof State) => {
      const method = target[name] as (...given: unknown[]) => unknown;
      return (...given: unknown[]) => {
        const next = () => method.apply(target, given);
        const purpose = PURPOSES[name]?.(Object(given.at(-2)) as Request, given) ?? '';
        const replaced = calls[purpose as Purpose] ?? calls[purpose.split(' and ')[0] as Purpose];
        return replaced ? replaced(next, ...given) : next();
      };
    },
  });
}

/** A call of a state that fails. */
export const fails = (message = 'disk full'): never => {
  throw new Error(message);
};

/** A state that never replies once `cut` is set, as for a process that was killed or lost its network. */
export function cuttable(state: State) {
  const link = { cut: false, key: '', holder: '' };
  const cutState = new Proxy(state, {
    get: (target, name: keyof State) => {
      if (link.cut) return () => new Promise(() => {});
      const method = (target[name] as (...parameters: unknown[]) => unknown).bind(target);
      if (name !== 'lease') return method;
      return (key: string, request: { holder: string }, clock: unknown) => {
        Object.assign(link, { key, holder: request.holder });
        return method(key, request, clock);
      };
    },
  });
  return { link, state: cutState };
}

/**
 * A state that can lose its content, as a Redis after FLUSHALL or a restart.
 *
 * @param call - makes each call of a method: later, never, or as it is.
 */
export function forgetful(call: (method: () => unknown) => unknown = (method) => method()) {
  let content = memoryState();
  const state = new Proxy(content, {
    get:
      (_, name: keyof State) =>
      (...parameters: unknown[]) =>
        call(() => (content[name] as (...parameters: unknown[]) => unknown)(...parameters)),
  });
  return { state, forget: () => void (content = memoryState()) };
}

/** A stage whose state other processes can share. */
export function stageWithState(): Stage & { readonly state: State } {
  const state = memoryState();
  return { ...stage({}, { state }), state };
}

/** Clients that share one state, as if each ran in a separate process. */
export function processes(count: number, state: State = memoryState()) {
  const clock = new ManualClock();
  const mock = createMockHub({ clock });
  const hubs = Array.from({ length: count }, () => clientOf(mock, { clock, state }).hub);
  return { clock, mock, state, hubs: hubs as [HubClient, ...HubClient[]] };
}

/** One cycle in another process of the same store; its listener does nothing. */
export function runOnceElsewhere({
  mock,
  clock,
  state,
}: Pick<Stage, 'mock' | 'clock'> & { readonly state: State }): Promise<CycleReport> {
  const { hub } = clientOf(mock, { clock, state });
  return hub
    .poller()
    .on('CREATED', () => {})
    .runOnce();
}

/** A listener that waits until the test settles it, and the orders it was called for. */
export function pendingListener() {
  const { promise, open, fail } = gate();
  const orders: string[] = [];
  const listener = async ({ orderId }: OrderEvent) => {
    orders.push(orderId);
    await promise;
  };
  return { listener, orders, open, fail };
}
