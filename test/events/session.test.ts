import { EventEmitter } from 'node:events';
import { AuthenticationError, ConfigurationError, memoryState, type StopReport } from 'opendelivery-client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { afterAdvance, clientOf, during, gate, requestsTo, settledNow, stage } from '../support.js';
import { runOnceElsewhere } from './support.js';

describe('start', () => {
  it('resolves after the first good poll, however many failed before', async () => {
    const { clock, mock, hub } = stage();
    mock.faults.next('polling', 503, 3);
    const poller = hub.poller().on('error', () => {});
    const emitted: string[] = [];
    poller.on('CREATED', () => {});
    poller.on('backoff', ({ failures }) => emitted.push(`backoff ${failures}`));
    poller.on('recovered', ({ failures }) => emitted.push(`recovered ${failures}`));
    poller.on('started', () => emitted.push('started'));
    const started = poller.start();
    expect(await settledNow(clock, started)).toBe('pending');
    expect(poller.health().status).toBe('starting');
    await clock.advance('10m');
    await started;
    expect(emitted).toEqual(['backoff 1', 'backoff 2', 'backoff 3', 'started', 'recovered 3']);
  });

  it('rejects, and the poller is stopped and its lease is free, when the credentials are refused', async () => {
    const state = memoryState();
    const { clock, hub, mock } = stage({}, { state, clientSecret: 'wrong' });
    const poller = hub.poller().on('CREATED', () => {});
    const failure = await poller.start().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(AuthenticationError);
    expect(failure).toMatchObject({ which: 'token', status: 401 });
    expect(requestsTo(mock, 'token')).toHaveLength(1);
    expect([poller.health().status, clock.sleepers]).toEqual(['idle', 0]);
    expect(await runOnceElsewhere({ mock, clock, state })).not.toHaveProperty('skipped');
    expect(requestsTo(mock, 'polling')).toHaveLength(1);
  });

  it('rejects, and the poller is stopped, when a fresh token is refused at the poll', async () => {
    const { hub, mock } = stage();
    mock.faults.next('polling', 401, 5);
    const poller = hub.poller().on('CREATED', () => {});
    await expect(poller.start()).rejects.toMatchObject({ code: 'authentication', which: 'bearer' });
    expect(poller.health().status).toBe('idle');
    expect(requestsTo(mock, 'token')).toHaveLength(1);
  });

  it('keeps trying when the hub has revoked a token that an earlier run has just obtained', async () => {
    const state = memoryState();
    const { clock, hub, mock } = stage({}, { state });
    await hub.auth.getToken();
    await hub.close();
    mock.revokeTokens();
    const poller = clientOf(mock, { clock, state })
      .hub.poller()
      .on('CREATED', () => {});
    poller.on('error', () => {});
    const started = poller.start();
    await clock.advance('20m');
    expect(await settledNow(clock, started)).toEqual({ value: undefined });
    expect(requestsTo(mock, 'token')).toHaveLength(2);
  });

  it('rejects when the hub refuses such tokens again and again, although another process renews them', async () => {
    const state = memoryState();
    const { clock, hub: other, mock } = stage({}, { state });
    await other.auth.getToken();
    mock.faults.next('polling', 401, 100);
    const poller = clientOf(mock, { clock, state })
      .hub.poller()
      .on('event', () => {})
      .on('error', () => {});
    const started = poller.start();
    started.catch(() => {});
    for (let renewals = 0; renewals < 8; renewals += 1) await during(clock, '4m', other.auth.renew());
    expect(await settledNow(clock, started)).toMatchObject({ error: { code: 'authentication' } });
  });

  it.each(['token', 'polling'] as const)('keeps trying after a 403 at %s', async (endpoint) => {
    const { clock, hub, mock } = stage();
    mock.faults.next(endpoint, 403);
    const poller = hub.poller().on('CREATED', () => {});
    poller.on('error', () => {});
    const started = poller.start();
    await clock.advance('30m');
    expect(await settledNow(clock, started)).toEqual({ value: undefined });
  });

  it('keeps trying when the function of the secret fails', async () => {
    let calls = 0;
    const clientSecret = async () => {
      calls += 1;
      if (calls < 3) throw new Error('the vault is away');
      return 'mock-client-secret';
    };
    const { clock, hub } = stage({}, { clientSecret });
    const errors: string[] = [];
    const poller = hub.poller().on('CREATED', () => {});
    poller.on('error', ({ message }) => void errors.push(message));
    const started = poller.start();
    await clock.advance('10m');
    expect(await settledNow(clock, started)).toEqual({ value: undefined });
    expect(errors).toEqual(['the vault is away', 'the vault is away']);
  });

  it('needs a listener for an order event, also after one was removed: all events would be acknowledged unread', async () => {
    const { hub, mock } = stage();
    const poller = hub.poller().on('error', () => {});
    const listener = () => {};
    poller.on('deadLetter', () => {});
    poller.on('CREATED', listener).off('CREATED', listener);
    await expect(poller.start()).rejects.toBeInstanceOf(ConfigurationError);
    await expect(poller.runOnce()).rejects.toBeInstanceOf(ConfigurationError);
    expect(mock.requests).toEqual([]);
  });

  it('rejects at once without a client secret, also while another poller has the lease', async () => {
    const state = memoryState();
    const { clock, mock, hub } = stage({}, { state });
    const first = hub.poller().on('CREATED', () => {});
    await first.start();
    const { hub: other } = clientOf(mock, { state, clock, fetch: mock.fetch, clientSecret: undefined });
    const second = other.poller().on('CREATED', () => {});
    expect(await settledNow(clock, second.start())).toMatchObject({
      error: { code: 'configuration', option: 'clientSecret' },
    });
  });

  it('rejects while another poller of the client runs, and not afterwards', async () => {
    const { hub } = stage();
    const [first, second] = [hub.poller(), hub.poller()];
    first.on('CREATED', () => {});
    second.on('CREATED', () => {});
    await first.start();
    const error = await second.start().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error).toMatchObject({
      option: 'poller',
      message: expect.stringContaining('another poller of this client is running; stop it first'),
    });
    await expect(first.start()).rejects.toBeInstanceOf(ConfigurationError);
    await first.stop();
    await expect(second.runOnce())
      .rejects.toMatchObject({ code: 'rate_limit' })
      .catch(() => {});
  });

  it('starts any number of pollers with one signal without a leak warning', async () => {
    const warnings: unknown[] = [];
    const heard = (warning: Error) => {
      if (warning.name === 'MaxListenersExceededWarning') warnings.push(warning);
    };
    process.on('warning', heard);
    onTestFinished(() => void process.off('warning', heard));
    const controller = new AbortController();
    const stages = Array.from({ length: EventEmitter.defaultMaxListeners + 2 }, () => stage());
    const pollers = stages.map(({ hub }) => hub.poller().on('CREATED', () => {}));
    await Promise.all(pollers.map((poller) => poller.start({ signal: controller.signal })));
    await new Promise(setImmediate);
    expect(warnings).toEqual([]);
    controller.abort(new Error('over'));
    await Promise.all(pollers.map((poller) => poller.stop()));
    expect(pollers.map((poller) => poller.health().status)).toEqual(pollers.map(() => 'idle'));
  });

  it('works again after stop, within the limit of the hub', async () => {
    const { clock, mock, hub } = stage();
    const poller = hub.poller().on('CREATED', () => {});
    for (let round = 0; round < 4; round += 1) {
      await afterAdvance(clock, '61s', poller.start());
      await poller.stop();
    }
    expect(mock.violations()).toEqual([]);
  });

  it('works again after a stop during a pause', async () => {
    const { clock, hub } = stage();
    const poller = hub.poller().on('CREATED', () => {});
    await poller.start();
    poller.pause();
    await poller.stop();
    await afterAdvance(clock, '1m', poller.start());
    expect(poller.health().status).toBe('running');
  });
});

describe('stop', () => {
  it('waits for running listeners, acknowledges the events they have handled, and dispatches nothing more', async () => {
    const { clock, mock, hub } = stage();
    const pending = gate();
    const begun: string[] = [];
    const poller = hub.poller({ concurrency: 1 }).on('CREATED', async (event) => {
      begun.push(event.eventId);
      await pending.promise;
    });
    const { event } = mock.createOrder();
    const { event: other } = mock.createOrder();
    await poller.start();
    await clock.advance('3s');
    const stopped = poller.stop();
    expect(await settledNow(clock, stopped)).toBe('pending');
    pending.open();
    expect(await stopped).toEqual({
      handled: 1,
      acknowledged: 1,
      unacknowledged: [other.eventId],
      timedOut: false,
    });
    expect(begun).toEqual([event.eventId]);
    expect(mock.acknowledged().map(({ eventId }) => eventId)).toEqual([event.eventId]);
  });

  it('gives up after timeoutMs, aborts the listener, and reports what is left', async () => {
    const { clock, mock, hub } = stage();
    let aborted: unknown;
    const poller = hub.poller().on('CREATED', (_event, { signal }) => {
      signal.addEventListener('abort', () => void (aborted = signal.reason));
      return new Promise(() => {});
    });
    const { event } = mock.createOrder();
    await poller.start();
    await clock.advance('3s');
    expect(await afterAdvance(clock, '5s', poller.stop({ timeoutMs: 5000 }))).toEqual({
      handled: 0,
      acknowledged: 0,
      unacknowledged: [event.eventId],
      timedOut: true,
    });
    expect(aborted).toMatchObject({ name: 'ClosedError' });
    await hub.close({ timeoutMs: 0 });
    expect(clock.sleepers).toBe(0);
  });

  it.each(['CREATED', 'deadLetter', 'polled'] as const)('resolves inside a listener of %s', async (name) => {
    const { clock, mock, hub } = stage();
    const poller = hub.poller({ maxAttempts: 1 }).on('error', () => {});
    const reports: StopReport[] = [];
    poller.on('CREATED', () => {
      if (name === 'deadLetter') throw new Error('give up');
    });
    poller.on(name, async () => void reports.push(await poller.stop()));
    mock.createOrder();
    await poller.start();
    await clock.advance('900ms');
    expect(reports).toHaveLength(1);
    expect(reports[0]?.timedOut).toBe(false);
    expect(poller.health().status).toBe('idle');
    // The event of the listener that called stop is acknowledged when that listener has resolved, at the end of its turn.
    if (name !== 'polled') expect(mock.acknowledged()).toHaveLength(1);
    expect(clock.sleepers).toBe(0);
  });

  it('leaves no request and no timer when it gives up on a hanging acknowledgment', async () => {
    const { clock, mock, hub } = stage();
    const failed: unknown[] = [];
    const poller = hub.poller().on('CREATED', () => {});
    poller.on('acknowledgeFailed', ({ eventIds }) => failed.push(eventIds)).on('error', () => {});
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

  it('does not wait longer than timeoutMs behind acknowledgments of the application', async () => {
    const { clock, mock, hub } = stage();
    const poller = hub.poller().on('CREATED', () => {});
    await poller.start();
    mock.faults.next('acknowledgment', 'hang', 8);
    const own = Array.from({ length: 4 }, () =>
      hub.events.acknowledge([mock.emit('DISPATCHED')]).catch(() => {}),
    );
    mock.createOrder();
    await clock.advance('30s');
    expect((await afterAdvance(clock, '6s', poller.stop({ timeoutMs: 5000 }))).timedOut).toBe(true);
    await clock.advance('10m');
    await Promise.all(own);
  });
});
