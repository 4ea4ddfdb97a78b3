import { AuthenticationError, type LeaseLostError, memoryState, type State } from 'opendelivery-client';
import { ManualClock } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { clientOf, gate, requestsTo, stage } from '../support.js';

/** A state with some of its calls replaced. */
function withCalls(state: State, calls: Partial<State>): State {
  return new Proxy(state, {
    get: (target, name: keyof State) =>
      calls[name] ?? (target[name] as (...given: unknown[]) => unknown).bind(target),
  });
}

it('listeners that all reject with the reason of their abort are reported once', async () => {
  const { clock, mock, hub } = stage();
  const held = gate();
  const errors: string[] = [];
  const poller = hub.poller({ listenerTimeoutMs: 10_000 });
  for (let count = 0; count < 2; count += 1) {
    poller.on('CREATED', async (_event, { signal }) => {
      await held.promise;
      throw signal.reason;
    });
  }
  poller.on('error', ({ name }) => errors.push(name));
  mock.createOrder();
  await poller.start();
  await clock.advance('15s');
  held.open();
  await clock.advance('1s');
  expect(errors).toEqual(['TimeoutError']);
  await poller.stop();
});

it('a mark that could not be written is known to the next poller of the client too', async () => {
  const clock = new ManualClock();
  const memory = memoryState();
  let isFull = true;
  const state = withCalls(memory, {
    remember: (...given) => {
      if (isFull) throw new Error('disk full');
      return memory.remember(...given);
    },
  });
  const { mock, hub } = stage({ clock }, { clock, state });
  let runs = 0;
  mock.createOrder();
  for (let count = 0; count < 4; count += 1) mock.faults.next('acknowledgment', 503);
  for (let count = 0; count < 2; count += 1) {
    const poller = hub.poller();
    poller.on('CREATED', () => void (runs += 1)).on('error', () => {});
    const once = poller.runOnce();
    await clock.advance('5m');
    await once;
    isFull = false;
  }
  expect(runs).toBe(1);
  expect(mock.pending()).toEqual([]);
});

it('runOnce is refused while the one before is not over', async () => {
  const clock = new ManualClock();
  const memory = memoryState();
  const state = withCalls(memory, {
    release: async (key, holder, given) => {
      await clock.sleep(1000);
      await memory.release(key, holder, given);
    },
  });
  const { hub } = stage({ clock }, { clock, state });
  const poller = hub.poller();
  poller.on('CREATED', () => {});
  const first = poller.runOnce();
  await clock.advance(500);
  await expect(poller.runOnce()).rejects.toMatchObject({ code: 'configuration' });
  await clock.advance('2s');
  await first;
});

it('rememberMs without an end remembers', async () => {
  const { clock, mock, hub } = stage();
  let runs = 0;
  mock.createOrder();
  for (let count = 0; count < 4; count += 1) mock.faults.next('acknowledgment', 503);
  for (let count = 0; count < 2; count += 1) {
    const poller = hub.poller({ rememberMs: Number.MAX_SAFE_INTEGER });
    poller.on('CREATED', () => void (runs += 1)).on('error', () => {});
    const once = poller.runOnce();
    await clock.advance('5m');
    await once;
  }
  expect(runs).toBe(1);
});

describe('a lease that is lost', () => {
  it('is reported as such at the next look, also where the monotonic clock stood still', async () => {
    const clock = new ManualClock();
    const theirClock = new ManualClock();
    const state = memoryState();
    const { mock, hub } = stage({ clock }, { clock, state });
    const reasons: unknown[] = [];
    const errors: string[] = [];
    const poller = hub.poller();
    poller.on('CREATED', (_event, { signal }) => {
      signal.addEventListener('abort', () => reasons.push((signal.reason as Error).name));
      return new Promise(() => {});
    });
    poller.on('error', ({ name }) => errors.push(name));
    mock.createOrder();
    await poller.start();
    await clock.advance('5s');
    clock.step(120_000);
    await theirClock.advance('125s');
    const { hub: other } = clientOf(mock, { clock: theirClock, state });
    const theirs = other.poller();
    theirs.on('CREATED', () => new Promise(() => {}));
    void theirs.start();
    await theirClock.advance('1s');
    // Its timers go on where they were.
    await clock.advance('60s');
    expect(reasons).toEqual(['LeaseLostError']);
    expect(errors).toContain('LeaseLostError');
    expect(poller.health().status).toBe('standby');
    const stopped = [poller.stop({ timeoutMs: 0 }), theirs.stop({ timeoutMs: 0 })];
    await clock.advance(1);
    await theirClock.advance(1);
    await Promise.all(stopped);
    expect(clock.sleepers).toBe(0);
  });

  it('because the state hangs aborts the listeners before another process may begin', async () => {
    const clock = new ManualClock();
    const memory = memoryState();
    let hangs = false;
    const hanging = new Proxy(memory, {
      get: (target, name: keyof State) => {
        const call = target[name] as (...given: unknown[]) => unknown;
        return (...given: unknown[]) => (hangs ? new Promise(() => {}) : call.apply(target, given));
      },
    });
    const { mock, hub } = stage({ clock }, { clock, state: hanging });
    let abortedAt = 0;
    const poller = hub.poller({ listenerTimeoutMs: 600_000 });
    poller.on('CREATED', (_event, { signal }) => {
      signal.addEventListener('abort', () => {
        abortedAt = clock.monotonic();
      });
      return new Promise(() => {});
    });
    const errors: unknown[] = [];
    poller.on('error', (error) => errors.push(error));
    mock.createOrder();
    await poller.start();
    hangs = true;
    await clock.advance('2m');
    expect(abortedAt).toBe(45_000);
    expect((errors[0] as LeaseLostError).code).toBe('lease_lost');
    hangs = false;
    const stopped = poller.stop({ timeoutMs: 0 });
    await clock.advance('10s');
    await stopped;
    expect(clock.sleepers).toBe(0);
  });

  it('leaves what is handled to be acknowledged', async () => {
    const clock = new ManualClock();
    const memory = memoryState();
    let isTaken = false;
    const state = withCalls(memory, {
      lease: (key, request, given) =>
        isTaken ? { granted: false, waitMs: 10_000 } : memory.lease(key, request, given),
    });
    const { mock, hub } = stage({ clock }, { clock, state });
    const held = gate();
    const poller = hub.poller({ listenerTimeoutMs: 600_000, concurrency: 1 });
    const seen: string[] = [];
    poller.on('CREATED', async ({ eventId }) => {
      seen.push(eventId);
      await held.promise;
    });
    poller.on('error', () => {});
    mock.createOrder();
    mock.createOrder();
    await poller.start();
    await clock.advance('1s');
    isTaken = true;
    await clock.advance('30s');
    expect(seen).toHaveLength(1);
    held.open();
    await clock.advance('2s');
    expect(mock.acknowledged().map(({ eventId }) => eventId)).toEqual(seen);
    expect(mock.pending()).toHaveLength(1);
    await clock.advance('1m');
    expect(poller.health().status).toBe('standby');
    await poller.stop();
    expect(clock.sleepers).toBe(0);
  });
});

it('runOnce while another poller has the lease sends nothing and says exactly that', async () => {
  const clock = new ManualClock();
  const state = memoryState();
  const { mock, hub } = stage({ clock }, { clock, state });
  const poller = hub.poller();
  poller.on('CREATED', () => {});
  await poller.start();
  await state.delete('token', undefined, clock);
  const before = mock.requests.length;
  const { hub: other } = clientOf(mock, { clock, state });
  const theirs = other.poller();
  theirs.on('CREATED', () => {});
  const report = await theirs.runOnce();
  expect(report).toStrictEqual({ skipped: 'leased', retryAfterMs: 45_000 });
  expect(mock.requests).toHaveLength(before);
  await poller.stop();
});

it('a second client stands by once, is paused and closed there, and leaves nothing', async () => {
  const clock = new ManualClock();
  const state = memoryState();
  const { mock, hub } = stage({ clock }, { clock, state });
  const poller = hub.poller();
  poller.on('CREATED', () => {});
  await poller.start();
  const { hub: other } = clientOf(mock, { clock, state });
  const theirs = other.poller();
  let standbys = 0;
  theirs.on('CREATED', () => {}).on('standby', () => void (standbys += 1));
  const started = theirs.start();
  started.catch(() => {});
  await clock.advance('5m');
  theirs.pause();
  await clock.advance('5m');
  theirs.resume();
  await clock.advance('1m');
  expect([standbys, theirs.health().status]).toEqual([1, 'standby']);
  const sleepers = clock.sleepers;
  await other.close();
  expect(clock.sleepers).toBeLessThan(sleepers);
  await expect(started).rejects.toMatchObject({ code: 'closed' });
  await poller.stop();
  expect(clock.sleepers).toBe(0);
});

it('a dead-letter listener that stops its poller ends with the lease released', async () => {
  const clock = new ManualClock();
  const state = memoryState();
  const { mock, hub } = stage({ clock }, { clock, state });
  const poller = hub.poller({ maxAttempts: 1 });
  poller.on('error', () => {});
  poller.on('CREATED', () => {
    throw new Error('no');
  });
  const reports: unknown[] = [];
  poller.on('deadLetter', async () => void reports.push(await poller.stop()));
  mock.createOrder();
  await poller.start();
  await clock.advance('1s');
  expect(reports).toHaveLength(1);
  expect(clock.sleepers).toBe(0);
  const { hub: other } = clientOf(mock, { clock, state });
  const theirs = other.poller();
  theirs.on('CREATED', () => {});
  expect((await theirs.runOnce()).skipped).toBe(undefined);
});

it('refused credentials reject start with the lease released', async () => {
  const clock = new ManualClock();
  const state = memoryState();
  const { mock, hub } = stage({ clock }, { clock, state });
  mock.faults.next('token', 401);
  const poller = hub.poller();
  poller.on('CREATED', () => {});
  await expect(poller.start()).rejects.toBeInstanceOf(AuthenticationError);
  expect(clock.sleepers).toBe(0);
  const { hub: other } = clientOf(mock, { clock, state });
  const theirs = other.poller();
  theirs.on('CREATED', () => {});
  expect((await theirs.runOnce()).skipped).toBe(undefined);
  expect(requestsTo(mock, 'polling')).toHaveLength(1);
});
