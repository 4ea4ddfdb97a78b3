import { describe, expect, it } from 'vitest';
import { gate, stage } from '../support.js';

describe('a listener that runs past listenerTimeoutMs', () => {
  it('is reported once, also when it rejects later because its signal was aborted', async () => {
    const { clock, mock, hub } = stage();
    const held = gate();
    const errors: string[] = [];
    const failed: number[] = [];
    const poller = hub.poller({ listenerTimeoutMs: 10_000 });
    poller.on('CREATED', async (_event, context) => {
      const { signal } = context;
      await held.promise;
      throw signal.reason;
    });
    poller.on('error', ({ name }) => errors.push(name));
    poller.on('listenerFailed', ({ attempt }) => failed.push(attempt));
    mock.createOrder();
    await poller.start();
    await clock.advance('15s');
    expect([errors, failed]).toEqual([['TimeoutError'], [1]]);
    held.open();
    await clock.advance('1s');
    expect([errors, failed]).toEqual([['TimeoutError'], [1]]);
    await poller.stop({ timeoutMs: 0 });
  });

  it('is reported again when it rejects later for a reason of its own', async () => {
    const { clock, mock, hub } = stage();
    const held = gate();
    const errors: string[] = [];
    const poller = hub.poller({ listenerTimeoutMs: 10_000 });
    poller.on('CREATED', () => held.promise);
    poller.on('error', ({ message }) => errors.push(message));
    mock.createOrder();
    await poller.start();
    await clock.advance('15s');
    held.fail(new Error('no paper'));
    await clock.advance('1s');
    expect(errors).toHaveLength(2);
    expect(errors[1]).toBe('no paper');
    await poller.stop({ timeoutMs: 0 });
  });

  it('finds its signal aborted when it looks at it for the first time afterwards', async () => {
    const { clock, mock, hub } = stage();
    const held = gate();
    const seen: unknown[] = [];
    const poller = hub.poller({ listenerTimeoutMs: 10_000 });
    poller.on('CREATED', async (_event, context) => {
      await held.promise;
      seen.push([context.signal.aborted, (context.signal.reason as Error).name]);
    });
    poller.on('error', () => {});
    mock.createOrder();
    await poller.start();
    await clock.advance('15s');
    held.open();
    await clock.advance('1s');
    expect(seen).toEqual([[true, 'TimeoutError']]);
    await poller.stop();
  });
});

it('stop() right after a handled event leaves no timer', async () => {
  const { clock, mock, hub } = stage();
  const poller = hub.poller();
  poller.on('CREATED', () => {});
  mock.createOrder();
  await poller.start();
  await clock.advance(10);
  const report = await poller.stop();
  expect(report).toMatchObject({ handled: 1, acknowledged: 1 });
  expect(clock.sleepers).toBe(0);
});

it('a poller whose last listener was taken off is not started: it would acknowledge everything unread', async () => {
  const { mock, hub } = stage();
  const poller = hub.poller();
  const listener = () => {};
  mock.createOrder();
  poller.on('CREATED', listener);
  poller.off('CREATED', listener);
  await expect(poller.start()).rejects.toMatchObject({ code: 'configuration' });
  await expect(poller.runOnce()).rejects.toMatchObject({ code: 'configuration' });
  expect(mock.pending()).toHaveLength(1);
});

it('an id that the hub refused is sent again within half an hour, and acknowledged if the hub takes it then', async () => {
  const { clock, mock, hub } = stage();
  const event = mock.emit('CREATED');
  mock.faults.next('acknowledgment', 400);
  const first = await hub.events.acknowledge([event]);
  expect(first.rejected).toMatchObject([{ eventId: event.eventId }]);
  const soon = await hub.events.acknowledge([event]);
  expect(soon.rejected).toMatchObject([{ eventId: event.eventId }]);
  await clock.advance('30m');
  expect((await hub.events.acknowledge([event])).acknowledged).toEqual([event.eventId]);
});

it('stop() that gives up on a hanging acknowledgment leaves no request and no timer when it resolves', async () => {
  const { clock, mock, hub } = stage();
  const failed: unknown[] = [];
  const poller = hub.poller();
  poller.on('CREATED', () => {});
  poller.on('acknowledgeFailed', ({ eventIds }) => failed.push(eventIds));
  poller.on('error', () => {});
  const { event } = mock.createOrder();
  mock.faults.next('acknowledgment', 'hang');
  await poller.start();
  await clock.advance('2s');
  let failedAtStop = 0;
  let sleepersAtStop = -1;
  const stopped = poller.stop({ timeoutMs: 1000 }).then((report) => {
    failedAtStop = failed.length;
    sleepersAtStop = clock.sleepers;
    return report;
  });
  await clock.advance('1s');
  expect(await stopped).toMatchObject({ timedOut: true, handled: 1, unacknowledged: [event.eventId] });
  expect([failedAtStop, sleepersAtStop]).toEqual([1, 0]);
});
