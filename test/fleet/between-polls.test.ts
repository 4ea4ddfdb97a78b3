import { expect, it, onTestFinished, vi } from 'vitest';
import { afterAdvance } from '../support.js';
import { caught, fleetStage, one } from './support.js';

/** The garbage collector takes every client that nothing but a weak reference keeps. */
function collectingAtOnce(): void {
  vi.stubGlobal(
    'WeakRef',
    class {
      deref() {}
    },
  );
  onTestFinished(() => void vi.unstubAllGlobals());
}

it('a store has a token within a quarter of an hour after an outage of the token endpoint, whose budget lasts', async () => {
  const { clock, mock, fleet, pollsOf } = fleetStage(one());
  fleet.on('event', () => {}).on('error', () => {});
  mock.faults.next('token', { type: 'status', status: 503 }, 1000);
  void caught(fleet.start());
  await clock.advance('15m');
  mock.faults.clear();
  await clock.advance('15m');
  expect(pollsOf(one()[0] as never).length).toBeGreaterThan(0);
  expect(mock.requests.filter(({ endpoint }) => endpoint === 'token').length).toBeLessThanOrEqual(10);
  expect(mock.violations()).toEqual([]);
});

it('an idle store spreads the renewals that fail in the background over a quarter of an hour', async () => {
  const { clock, mock, fleet } = fleetStage(
    one(),
    { poller: { intervalMs: 120_000 } },
    { tokenLifetimeMs: 36_000_000 },
  );
  fleet.on('event', () => {}).on('error', () => {});
  void caught(fleet.start());
  await clock.advance('8h');
  mock.faults.next('token', { type: 'status', status: 503 }, 1000);
  const from = clock.monotonic();
  await clock.advance('119m');
  const renewals = mock.requests.filter(
    (request) => request.endpoint === 'token' && request.monotonicAt > from,
  );
  const times = renewals.map(({ monotonicAt }) => monotonicAt).sort((a, b) => a - b);
  expect(times.length).toBeGreaterThanOrEqual(5);
  expect((times[4] as number) - (times[0] as number)).toBeGreaterThanOrEqual(15 * 60_000);
});

it('a secret function that is slow in a background renewal is not called again by each poll', {
  tags: 'slow',
}, async () => {
  let running = 0;
  let most = 0;
  let calls = 0;
  const clientSecret = async () => {
    calls += 1;
    running += 1;
    most = Math.max(most, running);
    if (calls > 1) await clock.sleep(80_000);
    running -= 1;
    return 'secret-of-store-0';
  };
  const { clock, fleet } = fleetStage(
    one(),
    { stores: one().map((store) => ({ ...store, clientSecret })) },
    { tokenLifetimeMs: 36_000_000 },
  );
  fleet.on('event', () => {}).on('error', () => {});
  void caught(fleet.start());
  await clock.advance('9h 50m');
  expect(calls).toBeGreaterThan(2);
  expect(most).toBe(1);
});

it('a call that a listener has left behind is aborted when the client of the store is closed', async () => {
  collectingAtOnce();
  const { clock, mock, fleet } = fleetStage(one());
  const calls: Promise<string>[] = [];
  fleet.on('CREATED', ({ orderId }, { hub }) => {
    mock.faults.next('order', { type: 'latency', ms: 25_000 });
    calls.push(caught(hub.orders.get(orderId)));
  });
  mock.createOrder({ clientId: '1000' });
  void caught(fleet.start());
  while (calls.length === 0) await clock.advance('1s');
  await clock.advance('5s');
  await afterAdvance(clock, 0, fleet.hub('store-0').close());
  const outcome = await Promise.race([calls[0], clock.advance('1s').then(() => 'goes on')]);
  expect(outcome).toMatch(/^ClosedError/);
});

it('an id whose acknowledgment was refused is not sent again by the client of a later listener', async () => {
  collectingAtOnce();
  const { clock, mock, fleet } = fleetStage(one());
  fleet.on('CREATED', async (event, { hub }) => {
    mock.faults.next('acknowledgment', { type: 'status', status: 422 });
    const foreign = { ...event, eventId: 'an id that the hub does not know' };
    const { rejected } = await hub.events.acknowledge([foreign]);
    expect(rejected).toHaveLength(1);
  });
  void caught(fleet.start());
  await clock.advance('31s');
  for (let count = 0; count < 3; count += 1) {
    mock.createOrder({ clientId: '1000' });
    await clock.advance('1m');
  }
  const sent = mock.requests.filter(({ endpoint }) => endpoint === 'acknowledgment').length;
  // One for each event, and the refused one.
  expect(sent).toBe(3 + 1);
});
