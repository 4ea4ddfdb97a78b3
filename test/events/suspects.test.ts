import { memoryState, type State } from 'opendelivery-client';
import { expect, it } from 'vitest';
import { mortalClient } from '../state/methods.js';
import { clientOf, stage } from '../support.js';

it('an event whose listener kills its process takes no other event to the dead letters with it', async () => {
  const { clock, mock } = stage();
  const state = memoryState();
  const letters: unknown[] = [];
  const ran: unknown[] = [];
  const poison = mock.createOrder().orderId;
  const follower = mock.emit('CONFIRMED', { orderId: poison }).eventId;
  const innocent = mock.createOrder().orderId;
  for (let process = 0; process < 3; process += 1) {
    const { hub, kill } = mortalClient(mock, state, { clock });
    const poller = hub.poller({ maxAttempts: 2, concurrency: 1, listenerTimeoutMs: 86_400_000 });
    poller.on('event', ({ orderId, eventId, eventType }) => {
      if (orderId === poison && eventType === 'CREATED') {
        kill();
        return new Promise(() => {});
      }
      ran.push(orderId === innocent ? 'innocent' : eventId);
    });
    poller.on('deadLetter', ({ event, attempts }) => void letters.push([event.orderId, attempts]));
    poller.on('error', () => {});
    const started = poller.start();
    await clock.advance('3m');
    await started;
    poller.pause();
  }
  expect(letters).toEqual([[poison, 2]]);
  expect(new Set(ran)).toEqual(new Set([follower, 'innocent']));
  expect(mock.pending()).toEqual([]);
});

it('an event that another process has handled since the marks were read is not run', async () => {
  const memory = memoryState();
  const state = new Proxy(memory, {
    get: (target, name: keyof State) =>
      name === 'count'
        ? async (...[key, ids, by, forMs, clock]: Parameters<State['count']>) => {
            await memory.remember(key, ids, forMs, clock);
            return memory.count(key, ids, by, forMs, clock);
          }
        : (target[name] as () => unknown).bind(target),
  });
  const { clock, mock, hub } = stage({}, { state });
  let runs = 0;
  const poller = hub.poller();
  poller.on('CREATED', () => void (runs += 1));
  mock.createOrder();
  await poller.start();
  await clock.advance('31s');
  expect(runs).toBe(0);
  expect(mock.pending()).toEqual([]);
  await poller.stop();
});

it('health says when the next poll is, or that none is planned', async () => {
  const state = memoryState();
  const { clock, mock, hub } = stage({}, { state });
  const poller = hub.poller();
  await poller.on('CREATED', () => {}).start();
  const theirs = clientOf(mock, { clock, state }).hub.poller();
  theirs
    .on('CREATED', () => {})
    .start()
    .catch(() => {});
  await clock.advance('7s');
  expect(poller.health().nextPollAt).toBe(clock.now() + 23_000);
  expect(theirs.health()).toMatchObject({ status: 'standby', nextPollAt: undefined });
  poller.pause();
  expect(poller.health()).toMatchObject({ status: 'paused', nextPollAt: undefined });
  await theirs.stop();
  await poller.stop();
});
