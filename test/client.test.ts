import { memoryState } from 'opendelivery-client';
import { expect, it } from 'vitest';
import { clientOf, requestsTo, settledNow, stage } from './support.js';

it('after close another client that shares the state can poll at once', async () => {
  const state = memoryState();
  const { clock, mock, hub } = stage({}, { state });
  const { hub: other } = clientOf(mock, { clock, state });
  const [one, two] = [hub, other].map((each) => each.poller().on('event', () => {}));
  expect(await one?.runOnce()).not.toHaveProperty('skipped');
  await hub.close();
  expect(await settledNow(clock, two?.runOnce() ?? Promise.reject())).not.toHaveProperty('value.skipped');
  expect(requestsTo(mock, 'polling')).toHaveLength(2);
});

it('the quota of the merchant document is counted per API key, that of the others per clientId', async () => {
  const state = memoryState();
  const { clock, mock, hub } = stage({}, { state, rateLimit: { mode: 'throw' } });
  mock.addStore({ clientId: '2002', clientSecret: 'two', apiKey: 'key-two' });
  const sameKey = clientOf(mock, {
    clock,
    state,
    clientId: '2002',
    clientSecret: 'two',
    rateLimit: { mode: 'throw' },
  }).hub;
  for (let call = 0; call < 10; call += 1) await hub.merchant.get({ fresh: true });
  // Not sent: the copy in the state is returned.
  expect((await sameKey.merchant.get({ fresh: true })).stale).toBe('error');
  expect(requestsTo(mock, 'merchant')).toHaveLength(10);
  await hub.events.poll();
  await hub.events.poll();
  expect((await sameKey.events.poll()).events).toEqual([]);
  expect(mock.violations()).toEqual([]);
});

it('what a listener of `hub.on` throws or rejects with is logged, and the others are called', async () => {
  const { hub, log } = stage();
  const seen: string[] = [];
  hub.on('request', () => {
    throw new Error('thrown');
  });
  hub.on('request', () => Promise.reject(new Error('rejected')));
  hub.on('request', ({ endpoint }) => void seen.push(endpoint));
  const removed = () => void seen.push('removed');
  hub.on('request', removed).off('request', removed);
  await hub.merchant.get();
  expect(seen).toEqual(['merchant']);
  expect(log).toEqual(
    ['thrown', 'rejected'].map(
      (message) => `opendelivery-client: a listener of 'request' failed Error: ${message}`,
    ),
  );
});
