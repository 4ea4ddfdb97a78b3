import { inspect } from 'node:util';
import { ManualClock, playEvening } from 'opendelivery-client/testing';
import { expect, it } from 'vitest';
import { drawOf } from '../../src/testing/random.js';
import { fleetOf, hubWith, stores } from '../fleet/support.js';
import { CHANNELS, FAILED, GOOD, Recorder } from './support.js';

/** What the mock hub's orders say about the customer, and the secrets of the stores. */
const PRIVATE = /Ana|Pinheiros|11991234567|secret-of|api-key-of|Bearer|eyJ/;

it.each([1, 2, 3, 4])('end every context once, in an evening with faults (seed %s)', async (seed) => {
  const clock = new ManualClock();
  const others = stores(4).slice(2);
  const mock = hubWith(others, { clock, latencyMs: 300, tokenLifetimeMs: 3_600_000 });
  const { fleet } = fleetOf(mock, {
    clock,
    stores: [{ storeId: 'store-of-the-evening', ...mock.credentials }, ...others],
    poller: { listenerTimeoutMs: 20_000 },
  });
  const recorder = new Recorder();
  mock.faults.next('token', 401);
  mock.faults.random({ seed, rate: 0.25 });
  let draws = 0;
  const draw = () => drawOf('listeners', seed, (draws += 1));
  fleet.on('event', ({ orderId }, { hub }) => {
    const drawn = draw();
    if (drawn < 0.1) throw new Error(`order ${orderId} is not saved`);
    if (drawn < 0.3) return Promise.reject(new Error('the database is down'));
    if (drawn < 0.5) return clock.sleep(drawn * 60_000);
    if (drawn < 0.51) return new Promise(() => {});
    return drawn < 0.8 ? hub.orders.get(orderId) : undefined;
  });
  fleet.on('error', () => {});
  const started = fleet.start().catch(() => {});
  const evening = playEvening(mock, clock);
  await clock.advance('110m');
  await evening;
  const stopping = fleet.stop({ timeoutMs: 1000 });
  await clock.advance('5m');
  await Promise.all([started, stopping]);

  for (const { context, messages } of recorder.all) {
    const hasFailed = 'error' in context;
    expect(messages).toEqual(hasFailed ? FAILED : GOOD);
    if (hasFailed) expect(context.error).toBeInstanceOf(Error);
    expect(context.storeId).toMatch(/^store-/);
  }
  for (const channel of CHANNELS) {
    const results = recorder.of(channel).map(({ context }) => 'error' in context);
    expect(new Set(results), channel).toEqual(new Set([false, true]));
  }
  const shown = recorder.all.map(({ context }) => inspect(context, { depth: 8, maxStringLength: null }));
  expect(shown.filter((text) => PRIVATE.test(text))).toEqual([]);
  const { clientSecret, apiKey } = mock.credentials;
  expect(shown.filter((text) => text.includes(clientSecret) || text.includes(apiKey))).toEqual([]);
});
