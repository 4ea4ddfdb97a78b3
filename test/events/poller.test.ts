import {
  AuthenticationError,
  ClosedError,
  ConfigurationError,
  type OrderEvent,
  type StopReport,
} from 'opendelivery-client';
import { describe, expect, it } from 'vitest';
import { gate, requestsTo, settledNow, stage } from '../support.js';

describe('resolved means acknowledged', () => {
  it('acknowledges an event when all of its listeners have resolved, and not before', async () => {
    const { clock, mock, hub } = stage();
    const first = gate();
    const second = gate();
    const poller = hub.poller();
    poller.on('CREATED', () => first.promise);
    poller.on('event', () => second.promise);
    mock.createOrder();
    await poller.start();
    first.open();
    await clock.advance('20s');
    expect(mock.acknowledged()).toEqual([]);
    second.open();
    await clock.advance('2s');
    expect(mock.acknowledged()).toHaveLength(1);
    await poller.stop();
  });

  it('leaves an event whose listener throws at the hub, and runs all its listeners again when it comes again', async () => {
    const { clock, mock, hub } = stage();
    const calls: string[] = [];
    const poller = hub.poller();
    poller.on('CREATED', (_event, { attempt, redelivered }) => {
      calls.push(`bad ${attempt} ${redelivered}`);
      if (attempt === 1) throw new Error('no paper');
    });
    poller.on('event', (_event, { attempt }) => void calls.push(`good ${attempt}`));
    poller.on('error', () => {});
    mock.createOrder();
    await poller.start();
    await clock.advance('10s');
    expect(mock.acknowledged()).toEqual([]);
    await clock.advance('25s');
    expect(calls).toEqual(['bad 1 false', 'good 1', 'bad 2 true', 'good 2']);
    expect(mock.acknowledged()).toHaveLength(1);
    expect(await poller.stop()).toEqual({ handled: 1, acknowledged: 1, unacknowledged: [], timedOut: false });
  });

  it('tells listenerFailed and error, and the logger where nobody listens to error', async () => {
    const { clock, mock, hub, log } = stage();
    const failures: unknown[] = [];
    const poller = hub.poller();
    poller.on('CREATED', () => Promise.reject(new Error('no paper')));
    poller.on('listenerFailed', ({ event, attempt }) => failures.push([event.eventType, attempt]));
    mock.createOrder();
    await poller.start();
    await clock.advance('1s');
    expect(failures).toEqual([['CREATED', 1]]);
    expect(log.join()).toContain('no paper');
    await poller.stop();
  });

  it('is not harmed by a lifecycle listener that throws or rejects', async () => {
    const { clock, mock, hub, log } = stage();
    const poller = hub.poller();
    poller.on('CREATED', () => {});
    for (const name of ['polled', 'acknowledged', 'started', 'stopped'] as const) {
      poller.on(name, () => {
        throw new Error(`thrown in ${name}`);
      });
      poller.on(name, () => Promise.reject(new Error(`rejected in ${name}`)));
    }
    mock.createOrder();
    await poller.start();
    await clock.advance('5s');
    await poller.stop();
    expect(mock.acknowledged()).toHaveLength(1);
    expect(log).toHaveLength(8);
  });

  it('acknowledges a handled event that comes again after its 202, and does not handle it again', async () => {
    const { clock, mock, hub } = stage();
    let calls = 0;
    const poller = hub.poller();
    poller.on('CREATED', () => void (calls += 1));
    const { event } = mock.createOrder();
    await poller.start();
    await clock.advance('5s');
    mock.redeliver(event.eventId);
    await clock.advance('30s');
    expect(calls).toBe(1);
    expect(mock.acknowledged()).toHaveLength(2);
    expect(mock.pending()).toEqual([]);
    await poller.stop();
  });

  it('handles a redelivered event again when rememberMs is over', async () => {
    const { clock, mock, hub } = stage();
    let calls = 0;
    const poller = hub.poller({ rememberMs: 60_000 });
    poller.on('CREATED', () => void (calls += 1));
    const { event } = mock.createOrder();
    await poller.start();
    await clock.advance('65s');
    mock.redeliver(event.eventId);
    await clock.advance('30s');
    expect(calls).toBe(2);
    await poller.stop();
  });

  it('hands an event that a poll lists twice to its listeners once', async () => {
    const { clock, mock, hub } = stage();
    let calls = 0;
    const poller = hub.poller();
    poller.on('CREATED', () => void (calls += 1));
    mock.createOrder();
    mock.faults.next('polling', 'duplicate');
    await poller.start();
    await clock.advance('5s');
    expect(calls).toBe(1);
    await poller.stop();
  });
});

describe('listeners that come and go', () => {
  it('keeps a once listener until it has resolved', async () => {
    const { clock, mock, hub } = stage();
    const attempts: number[] = [];
    const poller = hub.poller();
    poller.once('CREATED', (_event, { attempt }) => {
      attempts.push(attempt);
      if (attempt < 3) throw new Error('not yet');
    });
    poller.on('error', () => {});
    mock.createOrder();
    await poller.start();
    await clock.advance('70s');
    expect(attempts).toEqual([1, 2, 3]);
    expect(mock.acknowledged()).toHaveLength(1);
    await poller.stop();
  });

  it('calls a once listener for one of two events that come together', async () => {
    const { clock, mock, hub } = stage();
    const seen: string[] = [];
    const poller = hub.poller({ unhandled: 'leave' });
    poller.once('CREATED', async (event) => void seen.push(event.orderId));
    poller.on('CONFIRMED', () => {});
    mock.createOrder();
    mock.createOrder();
    await poller.start();
    await clock.advance('5s');
    expect(seen).toHaveLength(1);
    expect(mock.pending()).toHaveLength(1);
    await poller.stop();
  });

  it.each(['acknowledge', 'leave'] as const)(
    'never takes a failed event for an unhandled one after off(), unhandled: %s',
    async (unhandled) => {
      const { clock, mock, hub } = stage();
      const poller = hub.poller({ unhandled });
      const listener = () => {
        throw new Error('broken');
      };
      const told: string[] = [];
      poller.on('CREATED', listener);
      poller.on('CONFIRMED', () => {});
      poller.on('unhandled', ({ event }) => told.push(event.eventType));
      poller.on('error', () => {});
      mock.createOrder();
      await poller.start();
      await clock.advance('5s');
      poller.off('CREATED', listener);
      await clock.advance('5m');
      expect(told).toEqual([]);
      expect(mock.acknowledged()).toEqual([]);
      poller.on('CREATED', () => {});
      await clock.advance('31s');
      expect(mock.acknowledged()).toHaveLength(1);
      await poller.stop();
    },
  );

  it('acknowledges a type nobody listens to and says so, or leaves it at the hub', async () => {
    for (const unhandled of ['acknowledge', 'leave'] as const) {
      const { clock, mock, hub } = stage();
      const told: unknown[] = [];
      const poller = hub.poller({ unhandled });
      poller.on('CREATED', () => {});
      poller.on('unhandled', ({ event, acknowledged }) => told.push([event.eventType, acknowledged]));
      mock.emit('DISPATCHED');
      await poller.start();
      await clock.advance('5s');
      expect(told).toEqual([['DISPATCHED', unhandled === 'acknowledge']]);
      expect(mock.pending()).toHaveLength(unhandled === 'acknowledge' ? 0 : 1);
      await poller.stop();
    }
  });

  it('dispatches an alias under the canonical name and acknowledges it under the received one', async () => {
    const { clock, mock, hub } = stage();
    const seen: string[] = [];
    const poller = hub.poller();
    poller.on('CANCELLED_DENIED', (event) => void seen.push(event.eventType));
    poller.on(
      'ORDER_CANCELLATION_REQUEST',
      (event) => void seen.push(`${event.eventType} ${event.receivedEventType}`),
    );
    mock.emit('CANCELLATION_DENIED');
    mock.emit('ORDER_CANCELLATION_REQUESTED');
    await poller.start();
    await clock.advance('5s');
    expect(seen.sort()).toEqual([
      'CANCELLED_DENIED',
      'ORDER_CANCELLATION_REQUEST ORDER_CANCELLATION_REQUESTED',
    ]);
    // The mock hub refuses another type than the one it sent.
    expect(
      mock
        .acknowledged()
        .map(({ eventType }) => eventType)
        .sort(),
    ).toEqual(['CANCELLATION_DENIED', 'ORDER_CANCELLATION_REQUESTED']);
    expect(mock.violations()).toEqual([]);
    await poller.stop();
  });

  it('passes unknown types through to their own listeners', async () => {
    const { clock, mock, hub } = stage();
    const seen: OrderEvent[] = [];
    const poller = hub.poller();
    poller.on('RIDER_ARRIVED_AT_STORE' as string, (event) => void seen.push(event));
    mock.emit('RIDER_ARRIVED_AT_STORE', { metadata: { rider: 'Zé' } });
    await poller.start();
    await clock.advance('5s');
    expect(seen[0]?.metadata).toEqual({ rider: 'Zé' });
    expect(mock.acknowledged()).toHaveLength(1);
    await poller.stop();
  });
});

it.each(['created', 'Cancelled', 'pickedUp', 'listenerfailed', 'deadletter', 'Event', ''])(
  'refuses %j, which would leave the right events without a listener',
  (name) => {
    const { hub } = stage();
    const poller = hub.poller();
    expect(() => poller.on(name, () => {})).toThrow(ConfigurationError);
    expect(() => poller.once(name, () => {})).toThrow(name ? /did you mean/ : /must be/);
  },
);

describe('starting', () => {
  it('resolves after the first good poll, however many failed before', async () => {
    const { clock, mock, hub } = stage();
    mock.faults.next('polling', 503, 3);
    const poller = hub.poller();
    const told: string[] = [];
    poller.on('CREATED', () => {});
    poller.on('error', () => {});
    poller.on('backoff', ({ failures }) => told.push(`backoff ${failures}`));
    poller.on('recovered', ({ failures }) => told.push(`recovered ${failures}`));
    poller.on('started', () => told.push('started'));
    const started = poller.start();
    expect(await settledNow(clock, started)).toBe('pending');
    expect(poller.health().status).toBe('starting');
    await clock.advance('10m');
    await started;
    expect(told).toEqual(['backoff 1', 'backoff 2', 'backoff 3', 'started', 'recovered 3']);
    await poller.stop();
  });

  it('rejects and is stopped when the credentials are refused', async () => {
    const { hub, mock } = stage({}, { clientSecret: 'wrong' });
    const poller = hub.poller();
    poller.on('CREATED', () => {});
    const failure = await poller.start().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(AuthenticationError);
    expect(failure).toMatchObject({ which: 'token', status: 401 });
    expect(requestsTo(mock, 'token')).toHaveLength(1);
    expect(poller.health().status).toBe('idle');
  });

  it('rejects and is stopped when a fresh token is refused at the poll', async () => {
    const { hub, mock } = stage();
    mock.faults.next('polling', 401, 5);
    const poller = hub.poller();
    poller.on('CREATED', () => {});
    await expect(poller.start()).rejects.toMatchObject({ code: 'authentication', which: 'bearer' });
    expect(poller.health().status).toBe('idle');
    expect(requestsTo(mock, 'token')).toHaveLength(1);
  });

  it('needs a listener of an order event', async () => {
    const { hub, mock } = stage();
    const poller = hub.poller();
    poller.on('error', () => {});
    poller.on('deadLetter', () => {});
    await expect(poller.start()).rejects.toBeInstanceOf(ConfigurationError);
    await expect(poller.runOnce()).rejects.toBeInstanceOf(ConfigurationError);
    expect(mock.requests).toEqual([]);
  });

  it('refuses a second running poller of one client, and lets it run after the first', async () => {
    const { hub } = stage();
    const [first, second] = [hub.poller(), hub.poller()];
    first.on('CREATED', () => {});
    second.on('CREATED', () => {});
    await first.start();
    await expect(second.start()).rejects.toBeInstanceOf(ConfigurationError);
    await expect(first.start()).rejects.toBeInstanceOf(ConfigurationError);
    await first.stop();
    await expect(second.runOnce())
      .rejects.toMatchObject({ code: 'rate_limit' })
      .catch(() => {});
    await second.stop();
  });

  it('stops when its signal aborts, before and after the first good poll', async () => {
    const { clock, mock, hub } = stage();
    mock.faults.next('polling', 'hang');
    const poller = hub.poller();
    poller.on('CREATED', () => {});
    const early = new AbortController();
    const started = poller.start({ signal: early.signal });
    await clock.advance('1s');
    early.abort(new Error('changed my mind'));
    await expect(started).rejects.toThrow('changed my mind');
    await clock.advance('1s');
    expect(poller.health().status).toBe('idle');

    const late = new AbortController();
    const again = poller.start({ signal: late.signal });
    await clock.advance('10m');
    await again;
    late.abort();
    await clock.advance('1s');
    expect(poller.health().status).toBe('idle');
    expect(clock.sleepers).toBe(0);
  });
});

describe('stopping', () => {
  it('resolves before start, twice, and from two places at once', async () => {
    const { clock, mock, hub } = stage();
    const poller = hub.poller();
    const nothing: StopReport = { handled: 0, acknowledged: 0, unacknowledged: [], timedOut: false };
    expect(await poller.stop()).toEqual(nothing);
    poller.on('CREATED', () => {});
    mock.createOrder();
    await poller.start();
    await clock.advance('2s');
    const [one, two] = await Promise.all([poller.stop(), poller.stop()]);
    expect(one).toEqual({ ...nothing, handled: 1, acknowledged: 1 });
    expect(two).toBe(one);
    expect(await poller.stop()).toEqual(one);
    expect(clock.sleepers).toBe(0);
  });

  it('rejects a start that it overtakes', async () => {
    const { clock, mock, hub } = stage();
    mock.faults.next('polling', 'hang');
    const poller = hub.poller();
    poller.on('CREATED', () => {});
    const started = poller.start();
    const failed = expect(started).rejects.toBeInstanceOf(ClosedError);
    await clock.advance('1s');
    await poller.stop();
    await failed;
  });

  it('waits for listeners under way, confirms what they have handled, and hands out nothing more', async () => {
    const { clock, mock, hub } = stage();
    const held = gate();
    const begun: string[] = [];
    const poller = hub.poller({ concurrency: 1 });
    poller.on('CREATED', async (event) => {
      begun.push(event.eventId);
      await held.promise;
    });
    const { event } = mock.createOrder();
    const { event: other } = mock.createOrder();
    await poller.start();
    await clock.advance('3s');
    const stopped = poller.stop();
    expect(await settledNow(clock, stopped)).toBe('pending');
    held.open();
    expect(await stopped).toEqual({
      handled: 1,
      acknowledged: 1,
      unacknowledged: [other.eventId],
      timedOut: false,
    });
    expect(begun).toEqual([event.eventId]);
    expect(mock.acknowledged().map(({ eventId }) => eventId)).toEqual([event.eventId]);
  });

  it('gives up after timeoutMs, aborts the listener, and tells what is left', async () => {
    const { clock, mock, hub } = stage();
    let aborted = false;
    const poller = hub.poller();
    poller.on('CREATED', (_event, { signal }) => {
      signal.addEventListener('abort', () => void (aborted = true));
      return new Promise(() => {});
    });
    const { event } = mock.createOrder();
    await poller.start();
    await clock.advance('3s');
    const stopped = poller.stop({ timeoutMs: 5000 });
    await clock.advance('5s');
    expect(await stopped).toEqual({
      handled: 0,
      acknowledged: 0,
      unacknowledged: [event.eventId],
      timedOut: true,
    });
    expect(aborted).toBe(true);
    expect(clock.sleepers).toBe(0);
  });

  it.each(['CREATED', 'deadLetter', 'polled'] as const)('resolves inside a listener of %s', async (name) => {
    const { clock, mock, hub } = stage();
    const poller = hub.poller({ maxAttempts: 1 });
    const reports: StopReport[] = [];
    poller.on('error', () => {});
    poller.on('CREATED', () => {
      if (name === 'deadLetter') throw new Error('give up');
    });
    poller.on(name, async () => void reports.push(await poller.stop()));
    mock.createOrder();
    await poller.start();
    await clock.advance('1s');
    expect(reports).toHaveLength(1);
    expect(reports[0]?.timedOut).toBe(false);
    expect(poller.health().status).toBe('idle');
    // The event of the listener that stopped is confirmed when that listener has resolved.
    await clock.advance('1s');
    if (name !== 'polled') expect(mock.acknowledged()).toHaveLength(1);
    expect(clock.sleepers).toBe(0);
  });

  it('inside a listener waits for all the others', async () => {
    const { clock, mock, hub } = stage();
    const other = gate();
    const poller = hub.poller();
    let report: StopReport | undefined;
    mock.createOrder();
    const stopper = mock.createOrder().orderId;
    poller.on('CREATED', async (event) => {
      if (event.orderId === stopper) report = await poller.stop();
      else await other.promise;
    });
    await poller.start();
    await clock.advance('1s');
    expect(report).toBeUndefined();
    other.open();
    await clock.advance('1s');
    expect(report).toMatchObject({ handled: 1, acknowledged: 1, timedOut: false });
    expect(mock.pending()).toEqual([]);
  });

  it('can start again, within the limit', async () => {
    const { clock, mock, hub } = stage();
    const poller = hub.poller();
    poller.on('CREATED', () => {});
    for (let round = 0; round < 4; round += 1) {
      const started = poller.start();
      await clock.advance('61s');
      await started;
      await poller.stop();
    }
    expect(mock.violations()).toEqual([]);
  });
});

describe('pause, resume, health and runOnce', () => {
  it('polls nothing while paused and goes on where it was due', async () => {
    const { clock, mock, hub } = stage();
    const poller = hub.poller();
    poller.on('CREATED', () => {});
    await poller.start();
    poller.pause();
    await clock.advance('10m');
    expect(requestsTo(mock, 'polling')).toHaveLength(1);
    expect(poller.health().status).toBe('paused');
    poller.resume();
    await clock.advance('1s');
    expect(requestsTo(mock, 'polling')).toHaveLength(2);
    expect(poller.health()).toMatchObject({
      status: 'running',
      consecutiveFailures: 0,
      nextPollAt: expect.any(Number),
    });
    await poller.stop();
    expect(mock.violations()).toEqual([]);
  });

  it('runs one cycle and reports it', async () => {
    const { mock, hub } = stage();
    const poller = hub.poller();
    poller.on('error', () => {});
    poller.on('CREATED', (event) => {
      if (event.orderId === bad.orderId) throw new Error('bad');
    });
    mock.createOrder();
    const bad = mock.createOrder();
    mock.emit('DISPATCHED');
    expect(await poller.runOnce()).toEqual({
      received: 3,
      handled: 1,
      redelivered: 0,
      unhandled: 1,
      acknowledged: 2,
      unacknowledged: [bad.event.eventId],
      failures: [{ eventId: bad.event.eventId, error: new Error('bad') }],
      issues: [],
    });
    await hub.close();
    await expect(poller.runOnce()).rejects.toBeInstanceOf(ClosedError);
  });

  it('close stops the poller', async () => {
    const { clock, mock, hub } = stage();
    const poller = hub.poller();
    poller.on('CREATED', () => {});
    mock.createOrder();
    await poller.start();
    await clock.advance('2s');
    await hub.close();
    expect(poller.health().status).toBe('idle');
    expect(clock.sleepers).toBe(0);
    expect(() => hub.poller()).toThrow(ClosedError);
    await expect(hub.events.poll()).rejects.toBeInstanceOf(ClosedError);
    await expect(hub.merchant.get()).rejects.toBeInstanceOf(ClosedError);
    await expect(hub.orders.get('x')).rejects.toBeInstanceOf(ClosedError);
    await expect(hub.auth.renew()).rejects.toBeInstanceOf(ClosedError);
  });
});
