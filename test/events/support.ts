import {
  type CycleReport,
  type HubClient,
  memoryState,
  type OrderEvent,
  type State,
} from 'opendelivery-client';
import { createMockHub, ManualClock } from 'opendelivery-client/testing';
import { Entry } from '../../src/events/entry.js';
import { methodsOf } from '../state/methods.js';
import { clientOf, gate, type Stage, stage } from '../support.js';

/** A state with some of its methods replaced. */
export function withCalls(state: State, calls: Partial<State>): State {
  return { ...methodsOf(state), ...calls };
}

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

/** Advances the clock, then awaits the promise. */
export async function afterAdvance<T>(
  clock: ManualClock,
  by: Parameters<ManualClock['advance']>[0],
  promise: Promise<T>,
): Promise<T> {
  await clock.advance(by);
  return promise;
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

/** An event that is not confirmed, with this key. */
export const entryOf = (key: string): Entry =>
  new Entry({ eventId: key, orderId: 'o', eventType: 'CREATED' } as OrderEvent, key, 0, 1);
