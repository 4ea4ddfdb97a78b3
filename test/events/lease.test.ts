import { type HubClient, isHubError, LeaseLostError, memoryState, type State } from 'opendelivery-client';
import { createMockHub, ManualClock } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { clientOf, densest, gate, requestsTo, settledNow } from '../support.js';

/** Clients that share one state, each as if in a process of its own. */
function processes(count: number, state: State = memoryState()) {
  const clock = new ManualClock();
  const mock = createMockHub({ clock });
  const hubs = Array.from({ length: count }, () => clientOf(mock, { clock, state }).hub);
  return { clock, mock, state, hubs: hubs as [HubClient, ...HubClient[]] };
}

/** A state whose calls never settle once `cut` is set, as for a process that was killed or lost its network. */
function cuttable(state: State) {
  const link = { cut: false, key: '', holder: '' };
  const cutState = new Proxy(state, {
    get: (target, name: keyof State) => {
      if (link.cut) return () => new Promise(() => {});
      const method = (target[name] as (...parameters: unknown[]) => unknown).bind(target);
      if (name !== 'lease') return method;
      return (key: string, request: { holder: string }, clock: unknown) => {
        Object.assign(link, { key, holder: request.holder });
        return method(key, request, clock);
      };
    },
  });
  return { link, state: cutState };
}

describe('one poller per store', () => {
  it('handles every event once, whichever of two clients that share a state polls', async () => {
    const { clock, mock, hubs } = processes(2);
    const handled: string[] = [];
    const standby: number[] = [];
    const started = hubs.map((hub, index) => {
      const poller = hub.poller();
      poller.on('CREATED', ({ eventId }) => void handled.push(eventId));
      poller.on('standby', () => void standby.push(index));
      return poller.start().catch(() => {});
    });
    for (let count = 0; count < 20; count += 1) {
      mock.createOrder();
      await clock.advance('30s');
    }
    await clock.advance('1m');
    expect(handled).toHaveLength(20);
    expect(new Set(handled).size).toBe(20);
    expect(standby).toEqual([1]);
    expect(densest(requestsTo(mock, 'polling'), 60_000)).toBe(2);
    await Promise.all(hubs.map((hub) => hub.close()));
    await Promise.all(started);
  });

  it('stays pending on standby, and takes over at once after stop', async () => {
    const { clock, mock, hubs } = processes(2);
    const [one, two] = hubs.map((hub) => hub.poller().on('CREATED', () => {}));
    await one?.start();
    const begun = two?.start() as Promise<void>;
    await clock.advance('5m');
    expect(await settledNow(clock, begun)).toBe('pending');
    expect(two?.health().status).toBe('standby');
    expect(requestsTo(mock, 'token')).toHaveLength(1);
    const polls = requestsTo(mock, 'polling').length;
    await one?.stop();
    // The hub's two polls a minute hold across both.
    await clock.advance('31s');
    await begun;
    expect(requestsTo(mock, 'polling').length).toBeGreaterThan(polls);
    expect(two?.health().status).toBe('running');
    await two?.stop();
    expect(clock.sleepers).toBe(0);
  });

  it('takes over when the lease of a process that is gone ends, and not before', async () => {
    const shared = memoryState();
    const { link, state } = cuttable(shared);
    const { clock, mock, hubs } = processes(1, state);
    await hubs[0]
      .poller()
      .on('CREATED', () => {})
      .start();
    const next = clientOf(mock, { clock, state: shared })
      .hub.poller()
      .on('CREATED', () => {});
    const begun = next.start();
    link.cut = true;
    await clock.advance('44s');
    expect(await settledNow(clock, begun)).toBe('pending');
    await clock.advance('31s');
    await begun;
    await next.stop();
  });

  it('asks the state nothing more for the lease while it is idle', async () => {
    const shared = memoryState();
    const calls: string[] = [];
    const state = new Proxy(shared, {
      get: (target, name: keyof State) => {
        const method = (target[name] as () => unknown).bind(target);
        return (...parameters: []) => {
          calls.push(name);
          return method(...parameters);
        };
      },
    });
    const { clock, hubs } = processes(1, state);
    const poller = hubs[0].poller().on('CREATED', () => {});
    await poller.start();
    await clock.advance('5m');
    calls.length = 0;
    await clock.advance('10m');
    expect(calls.filter((name) => name === 'reserve')).toHaveLength(20);
    expect([...new Set(calls)].sort()).toEqual(['reserve', 'settle']);
    await poller.stop();
  });

  it('keeps the lease while a listener runs longer than it', async () => {
    const { clock, mock, hubs } = processes(2);
    const held = gate();
    const handled: string[] = [];
    const [one, two] = hubs.map((hub, index) =>
      hub.poller({ listenerTimeoutMs: 600_000 }).on('CREATED', async ({ eventId }) => {
        await held.promise;
        handled.push(`${index} ${eventId}`);
      }),
    );
    mock.createOrder();
    await one?.start();
    const begun = two?.start().catch(() => {});
    await clock.advance('9m');
    held.open();
    await clock.advance('1m');
    expect(handled).toEqual([expect.stringMatching(/^0 /)]);
    await two?.stop();
    await one?.stop();
    await begun;
    expect(clock.sleepers).toBe(0);
  });

  it('keeps the lease through a long backoff and a pause', async () => {
    const { clock, mock, hubs } = processes(2);
    const polls: number[] = [];
    const pollers = hubs.map((hub, index) =>
      hub
        .poller()
        .on('CREATED', () => {})
        .on('polled', () => void polls.push(index))
        .on('error', () => {}),
    );
    await pollers[0]?.start();
    const begun = pollers[1]?.start().catch(() => {});
    for (let count = 0; count < 8; count += 1) mock.faults.next('polling', { type: 'status', status: 500 });
    await clock.advance('40m');
    pollers[0]?.pause();
    await clock.advance('40m');
    expect(new Set(polls)).toEqual(new Set([0]));
    for (const poller of pollers) await poller.stop();
    await begun;
    expect(clock.sleepers).toBe(0);
  });
});

describe('a poller that loses its lease', () => {
  async function losing() {
    const shared = memoryState();
    const { link, state } = cuttable(shared);
    const { clock, mock, hubs } = processes(1, state);
    const signals: AbortSignal[] = [];
    const fences: number[] = [];
    const seen: string[] = [];
    const errors: unknown[] = [];
    const held = gate();
    const poller = hubs[0].poller({ listenerTimeoutMs: 600_000, concurrency: 1 });
    poller.on('CREATED', async ({ eventId }, { signal, fence }) => {
      seen.push(eventId);
      signals.push(signal);
      fences.push(fence);
      await held.promise;
    });
    poller.on('error', (error) => void errors.push(error));
    const standby: number[] = [];
    poller.on('standby', ({ retryAfterMs }) => void standby.push(retryAfterMs));
    const first = mock.createOrder();
    mock.createOrder();
    await poller.start();
    return { shared, link, clock, mock, poller, signals, fences, seen, errors, held, first, standby };
  }

  it('because the state is out of reach aborts its listeners and dispatches nothing more', async () => {
    const { link, clock, mock, poller, signals, seen, errors, held, shared } = await losing();
    link.cut = true;
    await clock.advance('44s');
    expect(signals[0]?.aborted).toBe(false);
    await clock.advance('1s');
    expect(signals[0]?.reason).toBeInstanceOf(LeaseLostError);
    expect(errors.filter((error) => error instanceof LeaseLostError)).toHaveLength(1);
    const next = clientOf(mock, { clock, state: shared }).hub.poller();
    const handled: string[] = [];
    next.on('CREATED', ({ eventId }) => void handled.push(eventId));
    await next.start();
    await clock.advance('1m');
    expect(handled).toHaveLength(2);
    held.open();
    await clock.advance('5m');
    expect(seen).toHaveLength(1);
    link.cut = false;
    await next.stop();
    await poller.stop();
    expect(clock.sleepers).toBe(0);
  });

  it('to another one goes to standby, acknowledges what is handled, and takes over again', async () => {
    const { shared, link, clock, mock, poller, signals, fences, held, errors, standby } = await losing();
    const other = { holder: 'another', leaseMs: 60_000 };
    // As after the loss of the state's last writes.
    await shared.release(link.key, link.holder, clock);
    const stolen = await shared.lease(link.key, other, clock);
    expect(stolen.granted).toBe(true);
    await clock.advance('16s');
    expect(isHubError(signals[0]?.reason) && signals[0].reason.code).toBe('lease_lost');
    held.open();
    await clock.advance('2s');
    expect(mock.acknowledged()).toHaveLength(1);
    expect(poller.health().status).toBe('standby');
    expect(standby).toHaveLength(1);
    expect(errors).toHaveLength(1);
    await clock.advance('2m');
    expect(poller.health().status).toBe('running');
    expect(mock.pending()).toEqual([]);
    const [before = 0, after = 0] = [fences[0], fences.at(-1)];
    const between = stolen.granted ? stolen.fence : 0;
    expect([between > before, after > between]).toEqual([true, true]);
    await poller.stop();
    expect(clock.sleepers).toBe(0);
  });

  it('and was suspended past it hands nothing more out before it has asked', async () => {
    const clock = new ManualClock();
    const mock = createMockHub({ clock });
    const state = memoryState();
    const [one, two] = [0, 1].map(() => clientOf(mock, { clock, state }).hub) as [HubClient, HubClient];
    const poller = one.poller({ concurrency: 1 });
    const seen: string[] = [];
    const held = gate();
    poller.on('CREATED', async ({ eventId }) => {
      seen.push(eventId);
      await held.promise;
    });
    poller.on('error', () => {});
    mock.createOrder();
    mock.createOrder();
    await poller.start();
    expect(seen).toHaveLength(1);
    // Wall time passes, monotonic time stands still: the process, or its machine, slept.
    await clock.suspend('50s');
    held.open();
    const handled: string[] = [];
    const next = two.poller();
    next.on('CREATED', ({ eventId }) => void handled.push(eventId));
    await clock.advance('2m');
    expect(new Set(seen).size).toBe(2);
    expect(seen).toHaveLength(2);
    expect(mock.pending()).toEqual([]);
    await poller.stop();
  });
});

describe('runOnce', () => {
  it('sends nothing to the hub while another poller has the lease', async () => {
    const { clock, mock, hubs } = processes(2);
    const [one, two] = hubs.map((hub) => hub.poller().on('CREATED', () => {}));
    await one?.start();
    await clock.advance('10s');
    const sent = mock.requests.length;
    expect(await two?.runOnce()).toEqual({ skipped: 'leased', retryAfterMs: 35_000 });
    expect(mock.requests).toHaveLength(sent);
    await one?.stop();
    expect(await two?.runOnce()).toMatchObject({ received: 0 });
    expect(clock.sleepers).toBe(0);
  });

  it('is skipped too when another client has taken the lease over before its slot was reserved', async () => {
    const state = memoryState();
    const reserve = state.reserve.bind(state);
    state.reserve = (key, request, clock) =>
      request.lease ? { granted: false, waitMs: 20_000.5, reason: 'leased' } : reserve(key, request, clock);
    const { mock, hubs } = processes(1, state);
    const poller = hubs[0].poller().on('CREATED', () => {});
    poller.on('error', () => {});
    expect(await poller.runOnce()).toEqual({ skipped: 'leased', retryAfterMs: 20_001 });
    expect(requestsTo(mock, 'polling')).toEqual([]);
  });

  it('gives the lease back, so that another process can run the next cycle at once', async () => {
    const { mock, hubs } = processes(2);
    const fences: number[] = [];
    for (const hub of hubs) {
      mock.createOrder();
      const poller = hub.poller().on('CREATED', (_event, { fence }) => void fences.push(fence));
      expect(await poller.runOnce()).toMatchObject({ handled: 1 });
    }
    const [first = 0, second = 0] = fences;
    expect(second).toBeGreaterThan(first);
  });
});

describe('leaseMs', () => {
  it('is at least ten seconds longer than the interval, and by default fifteen', () => {
    const { hubs } = processes(1);
    expect(() => hubs[0].poller({ leaseMs: 39_999 })).toThrow(/leaseMs: must be at least 40000/);
    expect(() => hubs[0].poller({ intervalMs: 60_000, leaseMs: 45_000 })).toThrow(/at least 70000/);
    expect(() => hubs[0].poller({ intervalMs: 60_000 })).not.toThrow();
    expect(() => hubs[0].poller({ leaseMs: 40_000 })).not.toThrow();
  });
});
