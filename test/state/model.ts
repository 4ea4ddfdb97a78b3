import fc from 'fast-check';
import { type Lease, type Mark, memoryState, type Reservation, type State } from 'opendelivery-client';
import { ManualClock, type OpenState } from 'opendelivery-client/testing';
import { expect } from 'vitest';
import { anyCharacter } from '../strings.js';

/** What makes the results of two states comparable: slots and fences are shown by their number, because every state makes its own. */
interface Seen {
  readonly clock: ManualClock;
  readonly slots: string[];
  readonly fences: number[];
}

interface Operation {
  readonly name: string;
  /** Returns what every state must return equally. */
  run(state: State, seen: Seen): Promise<unknown>;
}

const keyOf = (...keys: string[]) => fc.constantFrom(...keys);
const valueKey = keyOf('value:a', 'value:b', '__proto__');
const quotaKey = keyOf('quota:a', 'constructor');
const eventsKey = keyOf('events:a', 'toString');
const holder = keyOf('a', 'b');
const ms = fc.oneof(fc.constantFrom(0, 1, 1000, 60_000), fc.nat(100_000));
const text = fc.oneof(
  fc.constantFrom('x', 'y', '', '__proto__'),
  fc.string({ unit: anyCharacter, maxLength: 20 }),
);
const ids = fc.array(fc.oneof(fc.constantFrom('1', '2', '3'), text), { maxLength: 6 });

function operation<T>(
  name: string,
  parameters: fc.Arbitrary<T>,
  run: (state: State, parameters: T, seen: Seen) => unknown,
): fc.Arbitrary<Operation> {
  return parameters.map((given) => ({
    name: `${name} ${JSON.stringify(given)}`,
    run: async (state, seen) => run(state, given, seen),
  }));
}

const numberIn = <T>(list: T[], one: T): number => {
  if (!list.includes(one)) list.push(one);
  return list.indexOf(one);
};

/** A result with the numbers of its slot and of its fence. */
function shown(result: Lease | Reservation, { slots, fences }: Seen) {
  const fence = 'fence' in result && result.fence !== undefined ? numberIn(fences, result.fence) : undefined;
  return { ...result, fence, ...('id' in result && { id: numberIn(slots, result.id) }) };
}

/** The attempts of a handled event may be any number. */
const shownMarks = (marks: readonly Mark[]) =>
  marks.map(({ handled, attempts }) => (handled ? 'handled' : attempts));

const anyOperation = fc.oneof(
  operation('get', valueKey, (state, key, { clock }) => state.get(key, clock)),
  operation(
    'set',
    fc.tuple(valueKey, fc.option(text, { nil: undefined }), ms, fc.option(text, { nil: undefined, freq: 2 })),
    (state, [key, value, forMs, ifEquals], { clock }) => state.set(key, value, { forMs, ifEquals }, clock),
  ),
  operation(
    'reserve',
    fc.record({
      key: quotaKey,
      limit: fc.integer({ min: 1, max: 3 }),
      holdMs: fc.integer({ min: 1, max: 100_000 }),
    }),
    async (state, { key, ...request }, seen) => shown(await state.reserve(key, request, seen.clock), seen),
  ),
  operation(
    'reserve with lease',
    fc.record({ key: quotaKey, holder, limit: fc.integer({ min: 1, max: 3 }) }),
    async (state, { key, holder, limit }, seen) => {
      const request = { limit, holdMs: 20_000, lease: { holder, leaseMs: 10_000 } };
      return shown(await state.reserve(key, request, seen.clock), seen);
    },
  ),
  operation(
    'settle',
    fc.tuple(quotaKey, fc.option(fc.nat(6), { nil: undefined }), ms, fc.option(ms, { nil: undefined })),
    (state, [key, number, freeInMs, shutMs], { clock, slots }) => {
      const slot = number === undefined ? {} : { id: slots.at(-1 - number) ?? 'unknown', freeInMs };
      return state.settle(key, { ...slot, shutMs }, clock);
    },
  ),
  operation(
    'lease',
    fc.record({
      key: quotaKey,
      holder,
      leaseMs: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 100_000 })),
    }),
    async (state, { key, holder, leaseMs }, seen) => {
      const lease = await state.lease(key, { holder, leaseMs }, seen.clock);
      return leaseMs === 0 ? 'released' : shown(lease, seen);
    },
  ),
  operation('mark as handled', fc.tuple(eventsKey, ids, ms), (state, [key, all, forMs], { clock }) =>
    state.mark(key, all, { handled: true, forMs }, clock),
  ),
  operation(
    'mark as attempted',
    fc.tuple(eventsKey, fc.uniqueArray(text, { maxLength: 4 }), fc.constantFrom(1 as const, -1 as const), ms),
    (state, [key, all, attempts, forMs], { clock }) => state.mark(key, all, { attempts, forMs }, clock),
  ),
  operation(
    'recall',
    fc.tuple(eventsKey, ids, fc.record({ handledMs: ms, attemptedMs: ms })),
    async (state, [key, all, lifetimes], { clock }) =>
      shownMarks(await state.recall(key, all, lifetimes, clock)),
  ),
  operation(
    'recall and count',
    fc.tuple(eventsKey, ids, ids, fc.constantFrom(0, 1, 2, Number.POSITIVE_INFINITY), ms),
    async (state, [key, others, counted, below, attemptedMs], { clock }) => {
      const request = { handledMs: 1000, attemptedMs, count: { ids: counted, below } };
      return shownMarks(await state.recall(key, [...others, ...counted], request, clock));
    },
  ),
);

/** Mostly short, so that what one step has written still counts some steps later. */
const waitMs = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(0, 1, 250, 5000) },
  { weight: 1, arbitrary: ms },
);

const step = fc.record({ operation: anyOperation, waitMs, reopens: fc.boolean() });
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** The results of all steps. After a reopening, the new state is used. */
async function resultsOf(steps: readonly Step[], open: OpenState): Promise<string[]> {
  const seen: Seen = { clock: new ManualClock(), slots: [], fences: [] };
  const opened = await open(seen.clock);
  let { state } = opened;
  const results: string[] = [];
  try {
    for (const { operation, waitMs, reopens } of steps) {
      if (reopens) state = (await opened.reopen?.()) ?? state;
      results.push(`${operation.name}: ${JSON.stringify(await operation.run(state, seen))}`);
      await seen.clock.advance(waitMs);
    }
  } finally {
    await opened.close();
  }
  return results;
}

const openMemory: OpenState = () => ({ state: memoryState(), close: async () => {} });

/** Any sequence of operations has the same results in a state, reopened at any point, as in memoryState. The state must follow the clock of `open`. */
export async function expectSameResults(open: OpenState, numRuns: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
      expect(await resultsOf(steps, open)).toEqual(await resultsOf(steps, openMemory));
    }),
    { numRuns },
  );
}
