import { describe, expect, it } from 'vitest';
import { gate, requestsTo, stage } from '../support.js';

describe('an event whose only listener is a once listener at work on another event', () => {
  it('stays at the hub: it is not acknowledged as unhandled, and its listener is not called a second time', async () => {
    const { clock, mock, hub } = stage();
    const held = gate();
    const seen: string[] = [];
    const unhandled: string[] = [];
    const poller = hub.poller();
    poller.once('CREATED', async ({ orderId }) => {
      seen.push(orderId);
      await held.promise;
    });
    poller.on('unhandled', ({ event }) => unhandled.push(event.orderId));
    const first = mock.createOrder();
    mock.createOrder();
    await poller.start();
    await clock.advance('5s');
    expect([seen, unhandled, mock.acknowledged()]).toEqual([[first.orderId], [], []]);
    expect(poller.health().running).toBe(1);
    held.open();
    await clock.advance('2s');
    expect(mock.acknowledged().map(({ orderId }) => orderId)).toContain(first.orderId);
    expect(seen).toEqual([first.orderId]);
    await poller.stop();
  });

  it('stays there at every later poll, for as long as that run takes', async () => {
    const { clock, mock, hub } = stage();
    const held = gate();
    const seen: string[] = [];
    const unhandled: string[] = [];
    const poller = hub.poller();
    poller.once('CREATED', async ({ orderId }) => {
      seen.push(orderId);
      await held.promise;
    });
    poller.on('unhandled', ({ event }) => unhandled.push(event.orderId));
    poller.on('error', () => {});
    const first = mock.createOrder();
    await poller.start();
    const second = mock.createOrder();
    await clock.advance('10m');
    expect(requestsTo(mock, 'polling').length).toBeGreaterThan(10);
    expect([seen, unhandled, mock.acknowledged()]).toEqual([[first.orderId], [], []]);
    // It failed, so it is still a listener: both orders wait for it, and it gets one of them.
    held.fail(new Error('no paper'));
    await clock.advance('35s');
    expect(seen).toHaveLength(2);
    const [, next] = seen;
    expect([first.orderId, second.orderId]).toContain(next);
    expect(unhandled).toEqual([]);
    await poller.stop();
  });

  it('goes to the other listeners that are free', async () => {
    const { clock, mock, hub } = stage();
    const held = gate();
    const seen: string[] = [];
    const poller = hub.poller();
    poller.once('CREATED', async () => {
      seen.push('once');
      await held.promise;
    });
    poller.on('event', () => void seen.push('event'));
    mock.createOrder();
    const second = mock.createOrder();
    await poller.start();
    await clock.advance('5s');
    expect(seen).toEqual(['once', 'event', 'event']);
    expect(mock.acknowledged().map(({ orderId }) => orderId)).toEqual([second.orderId]);
    held.open();
    await clock.advance('5s');
    expect(mock.pending()).toEqual([]);
    await poller.stop();
  });
});

it('a listener that is not once gets the events of two orders at the same time', async () => {
  const { clock, mock, hub } = stage();
  const held = gate();
  let running = 0;
  const poller = hub.poller();
  poller.on('CREATED', async () => {
    running += 1;
    await held.promise;
  });
  mock.createOrder();
  mock.createOrder();
  await poller.start();
  await clock.advance('5s');
  expect(running).toBe(2);
  held.open();
  await clock.advance('5s');
  expect(mock.pending()).toEqual([]);
  await poller.stop();
});

it('a dead letter whose only listener is a busy once listener stays at the hub, without an error', async () => {
  const { clock, mock, hub } = stage();
  const held = gate();
  const letters: string[] = [];
  const errors: string[] = [];
  const poller = hub.poller({ maxAttempts: 1 });
  poller.on('CREATED', () => {
    throw new Error('no paper');
  });
  poller.once('deadLetter', async ({ event }) => {
    letters.push(event.orderId);
    await held.promise;
  });
  poller.on('error', ({ message }) => errors.push(message));
  const first = mock.createOrder();
  mock.createOrder();
  await poller.start();
  await clock.advance('5s');
  expect([letters, mock.acknowledged()]).toEqual([[first.orderId], []]);
  expect(errors).toEqual(['no paper', 'no paper']);
  // Nor at the polls that bring it again: there is a listener that will decide over it.
  await clock.advance('5m');
  expect(letters).toHaveLength(1);
  expect(errors.filter((message) => message.includes('stays at the hub'))).toEqual([]);
  held.open();
  await clock.advance('5s');
  expect(mock.acknowledged().map(({ orderId }) => orderId)).toEqual([first.orderId]);
  await poller.stop();
});
