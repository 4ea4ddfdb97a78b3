import fc from 'fast-check';
import { memoryState, type OrderEvent } from 'opendelivery-client';
import { createMockHub, ManualClock } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { STAGES } from '../../progress/lifecycles.js';
import { runs } from '../../runs.js';
import { methodsOf } from '../../state/methods.js';
import { clientOf } from '../../support.js';
import { pushOf } from './support.js';

/** What happens to one event on its ways to the application. */
const fate = fc.record({
  order: fc.nat(2),
  /** When it is emitted, after the one before. */
  afterMs: fc.nat(4000),
  /** When it is pushed, after it was emitted; more than once if the hub repeats itself. */
  pushesAfterMs: fc.array(fc.nat(40_000), { maxLength: 3 }),
  /** How often its listener fails before it resolves. */
  failures: fc.nat(2),
  runMs: fc.constantFrom(0, 0, 10, 3000, 20_000),
});

const evening = fc.record({
  fates: fc.array(fate, { minLength: 1, maxLength: 8 }),
  latencyMs: fc.constantFrom(0, 50, 5000),
  /** How long the calls of the state take, in turn. */
  stateMs: fc.array(fc.constantFrom(0, 20, 500, 3000), { maxLength: 5 }),
  /** When the poller is stopped and started again; undefined: never. */
  restartAtMs: fc.option(fc.nat(60_000), { nil: undefined }),
});

describe('events that come by push, by poll, or both ways', () => {
  it('are handled once each, in the sequence of their order, and confirmed only then', async () => {
    await fc.assert(
      fc.asyncProperty(evening, async ({ fates, latencyMs, stateMs, restartAtMs }) => {
        const { clock, mock, hub } = slowStage(latencyMs, stateMs);
        const startedAt = clock.monotonic();
        const failuresLeft = new Map<string, number>();
        const runMs = new Map<string, number>();
        const running = new Map<string, string>();
        const resolved: OrderEvent[] = [];
        const broken: string[] = [];
        const poller = hub.poller({ listenerTimeoutMs: 600_000 }).on('error', () => {});
        poller.on('event', async (event) => {
          const { eventId, orderId } = event;
          if (running.has(orderId)) broken.push(`${eventId} runs beside ${running.get(orderId)}`);
          running.set(orderId, eventId);
          await clock.sleep(runMs.get(eventId) ?? 0);
          running.delete(orderId);
          const left = failuresLeft.get(eventId) ?? 0;
          failuresLeft.set(eventId, left - 1);
          if (left > 0) throw new Error('try again');
          resolved.push(event as OrderEvent);
        });
        const isResolved = (id: string) => resolved.some(({ eventId }) => eventId === id);
        const statuses: number[] = [];
        const push = async (event: { readonly eventId: string }) => {
          const { status } = await poller.receive(pushOf(event));
          statuses.push(status);
          if (status === 200 && !isResolved(event.eventId))
            broken.push(`200 before ${event.eventId} is handled`);
        };
        const at = (ms: number, work: () => void) =>
          void clock.sleep(Math.max(0, startedAt + ms - clock.monotonic())).then(work);

        const started = poller.start().catch(() => {});
        let emitMs = 0;
        const next = new Map<number, number>();
        for (const { order, afterMs, pushesAfterMs, failures, runMs: takesMs } of fates) {
          emitMs += afterMs;
          const step = next.get(order) ?? 0;
          next.set(order, step + 1);
          at(emitMs, () => {
            const event = mock.emit(STAGES[step % STAGES.length] as string, { orderId: `order-${order}` });
            failuresLeft.set(event.eventId, failures);
            runMs.set(event.eventId, takesMs);
            for (const pushMs of pushesAfterMs) void clock.sleep(pushMs).then(() => push(event));
          });
        }
        if (restartAtMs !== undefined) at(restartAtMs, () => void poller.stop().then(() => poller.start()));
        for (let minute = 0; minute < 12; minute += 1) {
          await clock.advance('1m');
          for (const { eventId } of mock.acknowledged()) {
            if (!isResolved(eventId)) broken.push(`${eventId} is acknowledged before it is handled`);
          }
        }
        await started;
        const done = poller.stop().then(() => hub.close());
        await clock.advance('1m');
        await done;
        expect(broken).toEqual([]);
        const emitted = mock.emitted().map(({ eventId }) => eventId);
        expect(resolved.map(({ eventId }) => eventId).toSorted()).toEqual(emitted.toSorted());
        expect(mock.pending()).toEqual([]);
        expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([]);
        expect(mock.violations().filter(({ rule }) => !rule.startsWith('unanswered'))).toEqual([]);
        expect(clock.sleepers).toBe(0);
      }),
      { numRuns: runs(200, 20), seed: 20_261_122 },
    );
  });
});

/** A client whose state replies after a while, as one over the network does. */
function slowStage(latencyMs: number, stateMs: readonly number[]) {
  const clock = new ManualClock();
  const mock = createMockHub({ clock, latencyMs });
  const methods = methodsOf(memoryState());
  let calls = 0;
  const slow = Object.fromEntries(
    Object.entries(methods).map(([name, method]) => [
      name,
      async (...parameters: unknown[]) => {
        const result: unknown = await (method as (...given: unknown[]) => unknown)(...parameters);
        // The client holds the clock while it waits for the state.
        const unpark = clock.park();
        const ms = stateMs[calls % stateMs.length] ?? 0;
        calls += 1;
        await clock.sleep(ms).finally(unpark);
        return result;
      },
    ]),
  ) as unknown as typeof methods;
  const state = stateMs.length > 0 ? slow : methods;
  return { clock, mock, ...clientOf(mock, { clock, fetch: mock.fetch, state }) };
}
