import fc from 'fast-check';
import {
  type FileState,
  fileState,
  type Lease,
  memoryState,
  type Reservation,
  type State,
} from 'opendelivery-client';
import { ManualClock } from 'opendelivery-client/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runs } from '../runs.js';
import { anyCharacter } from '../strings.js';
import { recalled } from './calls.js';
import { temporaryDirectory } from './file/support.js';
import { describeWithRedis } from './redis/server.js';
import { redisForSuite, redisStateAt } from './redis/support.js';

/** One operation. It refers to slots by their number, because every state makes its own ids. */
type Operation = (state: State, clock: ManualClock, slots: string[]) => unknown;

const keyOf = (...keys: string[]) => fc.constantFrom(...keys);
const valueKey = keyOf('value:a', 'value:b', '__proto__');
const quotaKey = keyOf('quota:a', 'quota:b', 'constructor');
const handledKey = keyOf('handled:a', 'handled:b', 'toString');
const ms = fc.oneof(fc.constantFrom(0, 1, 1000, 60_000), fc.nat(100_000));
const text = fc.oneof(
  fc.constantFrom('x', 'y', '', '__proto__'),
  fc.string({ unit: anyCharacter, maxLength: 20 }),
);
const ids = fc.array(fc.oneof(fc.constantFrom('1', '2', '3'), text), { maxLength: 6 });

const named = (name: string, run: Operation): readonly [string, Operation] => [name, run];

const operation = fc.oneof(
  valueKey.map((k) => named(`get ${k}`, (state, clock) => state.get(k, clock))),
  fc
    .tuple(valueKey, text, ms)
    .map(([k, value, forMs]) =>
      named(`set ${k} ${value} ${forMs}`, (state, clock) => state.set(k, value, forMs, clock)),
    ),
  fc
    .tuple(valueKey, fc.option(text, { nil: undefined }))
    .map(([k, expected]) =>
      named(`delete ${k} ${expected}`, (state, clock) => state.delete(k, expected, clock)),
    ),
  fc
    .tuple(quotaKey, fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 100_000 }))
    .map(([k, limit, holdMs]) =>
      named(`reserve ${k} ${limit} ${holdMs}`, async (state, clock, slots) => {
        const result = await state.reserve(k, { limit, holdMs }, clock);
        if (!result.granted) return result;
        slots.push(result.id);
        return { ...result, id: slots.indexOf(result.id) };
      }),
    ),
  fc
    .tuple(quotaKey, fc.nat(6), ms)
    .map(([k, number, freeInMs]) =>
      named(`settle ${k} ${number} ${freeInMs}`, (state, clock, slots) =>
        state.settle(k, slots.at(-1 - number) ?? 'unknown', freeInMs, clock),
      ),
    ),
  fc
    .tuple(quotaKey, ms)
    .map(([k, forMs]) => named(`shut ${k} ${forMs}`, (state, clock) => state.shut(k, forMs, clock))),
  fc
    .tuple(handledKey, ids, ms)
    .map(([k, list, forMs]) =>
      named(`remember ${k} ${list} ${forMs}`, (state, clock) => state.remember(k, list, forMs, clock)),
    ),
  fc
    .tuple(handledKey, fc.uniqueArray(text, { maxLength: 4 }), fc.constantFrom(1 as const, -1 as const), ms)
    .map(([k, list, by, forMs]) =>
      named(`count ${k} ${list} ${by} ${forMs}`, (state, clock) => state.count(k, list, by, forMs, clock)),
    ),
  fc
    .tuple(handledKey, ids, ms, ms)
    .map(([k, list, handledMs, attemptedMs]) =>
      named(`recall ${k} ${list} ${handledMs} ${attemptedMs}`, (state, clock) =>
        state.recall(k, list, { handledMs, attemptedMs }, clock),
      ),
    ),
  fc
    .tuple(handledKey, ids, ids, fc.constantFrom(0, 1, 2, Number.POSITIVE_INFINITY), ms)
    .map(([k, others, counted, below, attemptedMs]) =>
      named(`recall ${k} ${others} and count ${counted} below ${below} ${attemptedMs}`, (state, clock) => {
        const count = { ids: counted, below };
        return state.recall(k, [...others, ...counted], { handledMs: 1000, attemptedMs, count }, clock);
      }),
    ),
  fc
    .tuple(handledKey, ids)
    .map(([k, list]) => named(`recall ${k} ${list}`, (state, clock) => recalled(state, k, list, clock))),
);

/** The contract suite compares fences. Here they differ: a reopened directory has other fences than a memory that was never closed. */
function withoutFence(result: Lease | Reservation) {
  return { ...result, fence: 'fence' in result && result.fence !== undefined };
}

const leaseOperation = fc.oneof(
  fc
    .tuple(quotaKey, keyOf('a', 'b'), fc.integer({ min: 1, max: 100_000 }))
    .map(([k, holder, leaseMs]) =>
      named(`lease ${k} ${holder} ${leaseMs}`, async (state, clock) =>
        withoutFence(await state.lease(k, { holder, leaseMs }, clock)),
      ),
    ),
  fc.tuple(quotaKey, keyOf('a', 'b'), fc.integer({ min: 1, max: 3 })).map(([k, holder, limit]) =>
    named(`reserve ${k} ${limit} for ${holder}`, async (state, clock) => {
      const lease = { holder, leaseMs: 10_000 };
      const result = await state.reserve(k, { limit, holdMs: 20_000, lease }, clock);
      return withoutFence(result.granted ? { ...result, id: '' } : result);
    }),
  ),
  fc
    .tuple(quotaKey, keyOf('a', 'b'))
    .map(([k, holder]) => named(`release ${k} ${holder}`, (state, clock) => state.release(k, holder, clock))),
);

const step = fc.record({ operation, waitMs: ms, reopens: fc.boolean() });

const stepWithLeases = fc.record({
  operation: fc.oneof({ weight: 2, arbitrary: operation }, { weight: 1, arbitrary: leaseOperation }),
  waitMs: ms,
  reopens: fc.constant(false),
});

/** The results of all steps. */
async function resultsOf(
  steps: readonly { operation: readonly [string, Operation]; waitMs: number; reopens: boolean }[],
  make: (clock: ManualClock) => State,
  reopen: (state: State) => Promise<State> = async (state) => state,
): Promise<string[]> {
  const clock = new ManualClock();
  let state = make(clock);
  const slots: string[] = [];
  const results: string[] = [];
  for (const { operation, waitMs, reopens } of steps) {
    const [name, run] = operation;
    if (reopens) state = await reopen(state);
    results.push(`${name}: ${JSON.stringify(await run(state, clock, slots))}`);
    await clock.advance(waitMs);
  }
  await reopen(state);
  return results;
}

describe('any sequence of operations', () => {
  it('has the same results in fileState, reopened at any point, as in memoryState', async () => {
    let opened: FileState | undefined;
    onTestFinished(() => opened?.close());
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
        const directory = temporaryDirectory();
        const open = () => {
          opened = fileState(directory);
          return opened;
        };
        const reopen = async () => {
          await opened?.close();
          return open();
        };
        expect(await resultsOf(steps, open, reopen)).toEqual(await resultsOf(steps, memoryState));
        await opened?.close();
      }),
      { numRuns: runs(60) },
    );
  });

  it('with leases has the same results in fileState, not reopened, as in memoryState', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(stepWithLeases, { minLength: 5, maxLength: 40 }), async (steps) => {
        const state = fileState(temporaryDirectory());
        const results = await resultsOf(steps, () => state);
        await state.close();
        expect(results).toEqual(await resultsOf(steps, memoryState));
      }),
      { numRuns: runs(60) },
    );
  });

  describeWithRedis('with a Redis', (startRedis) => {
    const clients = redisForSuite(startRedis);

    it('has the same results in redisState as in memoryState', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(stepWithLeases, { minLength: 5, maxLength: 40 }), async (steps) => {
          await clients.ioredis.flushall();
          const results = await resultsOf(steps, (clock) => redisStateAt(clients, clock));
          expect(results).toEqual(await resultsOf(steps, memoryState));
        }),
        { numRuns: runs(100) },
      );
    });
  });
});
