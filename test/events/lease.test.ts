import { memoryState } from 'opendelivery-client';
import { describe, expect, it } from 'vitest';
import { recordingState } from '../security/overheard.js';
import { expectSharedStore } from '../state/two-clients.js';
import { clientOf, gate, requestsTo, settledNow } from '../support.js';
import { cuttable, processes } from './support.js';

describe('one poller per store', () => {
  it('handles every event once, whichever of two clients that share a state polls', async () => {
    const state = memoryState();
    await expectSharedStore(() => state);
  });

  it('waits on standby, and takes over at once when the other poller stops', async () => {
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
    // Both together send two polls per minute.
    await clock.advance('31s');
    await begun;
    expect(requestsTo(mock, 'polling').length).toBeGreaterThan(polls);
    expect(two?.health().status).toBe('running');
    await two?.stop();
    expect(clock.sleepers).toBe(0);
  });

  it('takes over when the lease of a dead process ends, and not earlier', async () => {
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
  });

  it('makes no extra state call for the lease while it is idle', async () => {
    const { state, written } = recordingState();
    const { clock, hubs } = processes(1, state);
    const poller = hubs[0].poller().on('CREATED', () => {});
    await poller.start();
    await clock.advance('5m');
    written.length = 0;
    await clock.advance('10m');
    const calls = written.map(([name]) => name);
    expect(calls.filter((name) => name === 'reserve')).toHaveLength(20);
    expect([...new Set(calls)].sort()).toEqual(['reserve', 'settle']);
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

describe('a client on standby', () => {
  it('emits `standby` once, can be paused and closed, and leaves no timer', async () => {
    const { clock, hubs } = processes(2);
    const [first, second] = hubs.map((hub) => hub.poller().on('CREATED', () => {}));
    await first?.start();
    let standbys = 0;
    second?.on('standby', () => void (standbys += 1));
    const started = second?.start();
    await clock.advance('5m');
    second?.pause();
    await clock.advance('5m');
    second?.resume();
    await clock.advance('1m');
    expect([standbys, second?.health().status]).toEqual([1, 'standby']);
    const { sleepers } = clock;
    await hubs[1]?.close();
    expect(clock.sleepers).toBeLessThan(sleepers);
    expect(await started).toBe(undefined);
    await first?.stop();
    expect(clock.sleepers).toBe(0);
  });
});

describe('runOnce', () => {
  it('sends no request to the hub while another poller has the lease', async () => {
    const { clock, mock, hubs } = processes(2);
    const [one, two] = hubs.map((hub) => hub.poller().on('CREATED', () => {}));
    await one?.start();
    await clock.advance('10s');
    const sent = mock.requests.length;
    expect(await two?.runOnce()).toStrictEqual({ skipped: 'leased', retryAfterMs: 35_000 });
    expect(mock.requests).toHaveLength(sent);
    await one?.stop();
    expect(await two?.runOnce()).toMatchObject({ received: 0 });
    expect(clock.sleepers).toBe(0);
  });

  it('is also skipped when another client acquires the lease before the slot is reserved', async () => {
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

  it('releases the lease, so that another process can run the next cycle at once', async () => {
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
  it('must be at least ten seconds longer than the interval; the default is fifteen', () => {
    const { hubs } = processes(1);
    expect(() => hubs[0].poller({ leaseMs: 39_999 })).toThrow(/leaseMs: must be at least 40000/);
    expect(() => hubs[0].poller({ intervalMs: 60_000, leaseMs: 45_000 })).toThrow(/at least 70000/);
    expect(() => hubs[0].poller({ intervalMs: 60_000 })).not.toThrow();
    expect(() => hubs[0].poller({ leaseMs: 40_000 })).not.toThrow();
  });
});
