import { AsyncLocalStorage } from 'node:async_hooks';
import { channel, tracingChannel } from 'node:diagnostics_channel';
import { inspect } from 'node:util';
import { AuthenticationError, type Clock, ServerError, TimeoutError } from 'opendelivery-client';
import { ManualClock } from 'opendelivery-client/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { fleetOf, fleetStage, hubWith, stores } from '../fleet/support.js';
import { gate, stage } from '../support.js';
import { CHANNELS, FAILED, GOOD, Recorder } from './support.js';

describe('the tracing channels', () => {
  it('publish a poll, its event, the acknowledgment, the token and the requests, with the store of a fleet', async () => {
    const { clock, mock, fleet } = fleetStage(stores(2));
    const recorder = new Recorder();
    fleet.on('CREATED', async () => {});
    const { event } = mock.createOrder({ clientId: '1001' });
    const started = fleet.start();
    await clock.advance('31s');
    await started;
    await fleet.stop();
    const storeId = 'store-1';
    const server = { serverAddress: 'hub.example', serverPort: 443 };
    const [poll] = recorder.of('opendelivery:poll').filter(({ context }) => context.eventIds?.length === 1);
    const eventIds = [event.eventId];
    expect(poll).toMatchObject({
      context: { storeId, ...server, eventIds, issues: 0, lateMs: 0 },
      messages: GOOD,
    });
    expect(recorder.of('opendelivery:listener')).toEqual([
      {
        channel: 'opendelivery:listener',
        context: {
          storeId,
          eventIds,
          orderId: event.orderId,
          eventType: 'CREATED',
          attempt: 1,
          redelivered: false,
          deadLetter: false,
        },
        messages: GOOD,
      },
    ]);
    expect(recorder.of('opendelivery:acknowledge').map(({ context }) => context)).toEqual([
      { storeId, ...server, eventIds, acknowledged: 1 },
    ]);
    const tokens = recorder.of('opendelivery:token').filter(({ context }) => context.storeId === storeId);
    expect(tokens).toMatchObject([{ context: { background: false, expiresAt: expect.any(Number) } }]);
    const requests = recorder.of('opendelivery:request').filter(({ context }) => context.storeId === storeId);
    expect(requests.map(({ context }) => context).filter(({ endpoint }) => endpoint !== 'polling')).toEqual([
      {
        storeId,
        ...server,
        endpoint: 'token',
        path: '/oauth/token',
        method: 'POST',
        attempt: 1,
        status: 200,
      },
      {
        storeId,
        ...server,
        endpoint: 'acknowledgment',
        path: '/v1/events/acknowledgment',
        method: 'POST',
        attempt: 1,
        status: 202,
      },
    ]);
  });

  it('publish the error of each attempt, which is the one that the caller gets', async () => {
    const { hub, mock, clock } = stage();
    const recorder = new Recorder();
    mock.faults.next('merchant', 503, 2);
    mock.faults.next('merchant', 'reset');
    const failed = hub.merchant.get({ retry: { attempts: 3 } }).catch((error: unknown) => error);
    await clock.advance('2m');
    const requests = recorder.of('opendelivery:request');
    expect(requests.map(({ messages }) => messages)).toEqual([FAILED, FAILED, FAILED]);
    expect(requests.map(({ context: { attempt, status } }) => [attempt, status])).toEqual([
      [1, 503],
      [2, 503],
      [3, undefined],
    ]);
    expect(requests[0]?.context.error).toBeInstanceOf(ServerError);
    expect(requests[2]?.context.error).toBe(await failed);
  });

  it('publish refused credentials as the error of the token and of the poll', async () => {
    const { hub } = stage({}, { clientSecret: 'wrong' });
    const recorder = new Recorder();
    const poller = hub.poller().on('event', () => {});
    await expect(poller.runOnce()).rejects.toThrow(AuthenticationError);
    const [token] = recorder.of('opendelivery:token');
    expect(token).toMatchObject({ messages: FAILED, context: { error: expect.any(AuthenticationError) } });
    const [poll] = recorder.of('opendelivery:poll');
    expect(poll).toMatchObject({ messages: FAILED, context: { error: token?.context.error } });
    expect(poll?.context).not.toHaveProperty('lateMs');
  });

  it('publish how late a poll was sent, counted from when it was due', async () => {
    const { hub, mock, clock } = stage({ latencyMs: 500 });
    const recorder = new Recorder();
    mock.faults.next('polling', { type: 'latency', ms: 4000 });
    const poller = hub.poller().on('event', () => {});
    void poller.start();
    await clock.advance('95s');
    const stopped = poller.stop();
    await clock.advance('1s');
    await stopped;
    // Two polls a minute: the third one waits until the slot of the first one is free, a minute after its response.
    expect(recorder.of('opendelivery:poll').map(({ context }) => context.lateMs)).toEqual([0, 0, 4500, 0]);
  });

  it('publish how late the polls of a fleet are whose process was busy, and not their way back to their phase', async () => {
    let stallMs = 0;
    const manual = new ManualClock();
    const clock: Clock = {
      now: () => manual.now(),
      monotonic: () => manual.monotonic(),
      sleep: (ms, signal) => {
        const lateMs = stallMs;
        stallMs = 0;
        return manual.sleep(ms + lateMs, signal);
      },
    };
    const mock = hubWith(stores(50), { clock: manual });
    const { fleet } = fleetOf(mock, { clock, stores: stores(50) });
    const recorder = new Recorder(['opendelivery:poll']);
    fleet.on('event', () => {});
    void fleet.start();
    await manual.advance('60s');
    stallMs = 3000;
    await manual.advance('4m');
    const late = recorder.of('opendelivery:poll').map(({ context: { lateMs = 0 } }) => lateMs);
    expect(Math.max(...late)).toBeGreaterThan(2000);
    // Those of the three seconds, and some that the pace of the catch-up delays.
    expect(late.filter((lateMs) => lateMs > 1500).length).toBeLessThanOrEqual(9);
    expect(Math.max(...late)).toBeLessThanOrEqual(3000);
    void fleet.stop();
    await manual.advance('1s');
  });

  it('publish a synchronous listener in the same order as an asynchronous one', async () => {
    const { hub, mock } = stage();
    const recorder = new Recorder();
    mock.createOrder();
    mock.createOrder();
    let calls = 0;
    const poller = hub.poller().on('event', () => {
      calls += 1;
      if (calls === 2) throw new TypeError('the printer is out of paper');
    });
    poller.on('error', () => {});
    await poller.runOnce();
    const [good, bad] = recorder.of('opendelivery:listener');
    expect(good?.messages).toEqual(GOOD);
    expect(good?.context).not.toHaveProperty('error');
    expect(bad?.messages).toEqual(FAILED);
    expect(bad?.context.error).toMatchObject({ name: 'TypeError', message: 'the printer is out of paper' });
  });

  it('publish the error of a listener without the secrets in it, whatever it threw', async () => {
    const { hub, mock } = stage();
    const recorder = new Recorder();
    const { clientSecret } = mock.credentials;
    for (let order = 0; order < 3; order += 1) mock.createOrder();
    const thrown = [
      Object.assign(new Error(`${clientSecret} was refused`), { clientSecret }),
      clientSecret,
      {},
    ];
    const poller = hub.poller({ concurrency: 1 }).on('event', () => Promise.reject(thrown.shift()));
    poller.on('error', () => {});
    await poller.runOnce();
    const listeners = recorder.of('opendelivery:listener');
    expect(listeners.map(({ messages }) => messages)).toEqual([FAILED, FAILED, FAILED]);
    for (const { context } of listeners) expect(context.error).toBeInstanceOf(Error);
    expect(inspect(listeners, { depth: 8, showHidden: true })).not.toContain(clientSecret);
  });

  it('end a listener when the poller waits for it no longer, and only once', async () => {
    const { hub, mock, clock } = stage();
    const recorder = new Recorder();
    mock.createOrder();
    const { promise, open } = gate();
    const poller = hub.poller({ listenerTimeoutMs: 5000 }).on('event', () => promise);
    poller.on('error', () => {});
    void poller.start();
    await clock.advance('6s');
    const [listener] = recorder.of('opendelivery:listener');
    expect(listener?.messages).toEqual(FAILED);
    expect(listener?.context.error).toBeInstanceOf(TimeoutError);
    open();
    await clock.advance('1m');
    await poller.stop();
    expect(listener?.messages).toEqual(FAILED);
    expect(recorder.of('opendelivery:listener')).toHaveLength(1);
  });

  it('end the listeners that a stop abandons', async () => {
    const { hub, mock, clock } = stage();
    const recorder = new Recorder();
    mock.createOrder();
    const poller = hub.poller().on('event', () => new Promise(() => {}));
    poller.on('error', () => {});
    void poller.start();
    await clock.advance('1s');
    expect(recorder.of('opendelivery:listener')[0]?.messages).toEqual(['start', 'end']);
    const stopped = poller.stop({ timeoutMs: 0 });
    await clock.advance(0);
    await stopped;
    expect(recorder.of('opendelivery:listener')[0]?.messages).toEqual(FAILED);
  });

  it('publish the calls of dead-letter listeners, after those of the event', async () => {
    const { hub, mock } = stage();
    const recorder = new Recorder();
    mock.createOrder();
    const poller = hub.poller({ maxAttempts: 1 });
    poller.on('event', () => Promise.reject(new Error('no')));
    poller.on('deadLetter', async () => {});
    poller.on('error', () => {});
    await poller.runOnce();
    const listeners = recorder.of('opendelivery:listener');
    expect(listeners.map(({ context, messages }) => [context.deadLetter, messages])).toEqual([
      [false, FAILED],
      [true, GOOD],
    ]);
  });

  it('publish an acknowledgment that the hub refuses in part as failed', async () => {
    const { hub, mock } = stage({ unknownEventStatus: 400 });
    const recorder = new Recorder();
    const { event } = mock.createOrder();
    const unknown = { ...event, eventId: 'unknown' };
    const { rejected } = await hub.events.acknowledge([event, unknown]);
    const [batch] = recorder.of('opendelivery:acknowledge');
    expect(batch).toMatchObject({
      messages: FAILED,
      context: { eventIds: [event.eventId, 'unknown'], acknowledged: 1 },
    });
    expect(batch?.context.error).toBe(rejected[0]?.error);
  });

  it('run a listener in the stores that a subscriber has bound to its start', async () => {
    const { hub, mock } = stage();
    const storage = new AsyncLocalStorage<string>();
    const { start } = tracingChannel<string, { orderId: string }>('opendelivery:listener');
    start.bindStore(storage, ({ orderId }) => orderId);
    onTestFinished(() => void start.unbindStore(storage));
    const { orderId } = mock.createOrder();
    const seen: unknown[] = [];
    const poller = hub.poller().on('event', async () => {
      await null;
      seen.push(storage.getStore());
    });
    await poller.runOnce();
    expect(seen).toEqual([orderId]);
  });

  it('get no context without subscribers', async () => {
    const contexts = new Set<unknown>();
    for (const name of CHANNELS) {
      for (const message of ['start', 'end', 'asyncStart', 'asyncEnd', 'error']) {
        const own = channel(`tracing:${name}:${message}`);
        own.publish = (context) => void contexts.add(context);
        own.runStores = (context, work, ...rest) => {
          contexts.add(context);
          return Reflect.apply(work, rest[0], rest.slice(1));
        };
        // A subscriber changes the channel's class: an own method would hide those of the class from the next test.
        onTestFinished(() => {
          Reflect.deleteProperty(own, 'publish');
          Reflect.deleteProperty(own, 'runStores');
        });
      }
    }
    const { hub, mock } = stage();
    for (let count = 0; count < 100; count += 1) mock.createOrder();
    const poller = hub.poller().on('event', async () => {});
    expect(await poller.runOnce()).toMatchObject({ handled: 100, acknowledged: 100 });
    expect(contexts.size).toBe(0);
  });
});
