/** @module-tag slow */
import { HubFleet, memoryState, type State } from 'opendelivery-client';
import { ManualClock } from 'opendelivery-client/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runs } from '../runs.js';
import { afterAdvance, densest } from '../support.js';
import { stores } from './support.js';

/** Ten thousand in the gate, where the hour takes a minute. */
const STORES = runs(10_000, 200);
const INTERVAL_MS = 30_000;
const MEAN_PER_SECOND = (STORES * 1000) / INTERVAL_MS;

/** A hub without a memory: ten thousand stores of the mock hub would be ten thousand lifecycles. */
function cheapHub(clock: ManualClock) {
  const polls: { readonly clientId: string; readonly monotonicAt: number }[] = [];
  const hub = { polls, isAway: false, latencyMs: 0, isStateAway: false };
  const answer = async (input: unknown, init: RequestInit = {}): Promise<Response> => {
    if (hub.isAway)
      throw new TypeError('fetch failed', { cause: Object.assign(new Error(), { code: 'ECONNREFUSED' }) });
    if (String(input).endsWith('/oauth/token')) {
      const clientId = new URLSearchParams(String(init.body)).get('client_id') as string;
      return Response.json({ access_token: `t${clientId}`, token_type: 'bearer', expires_in: 604_800 });
    }
    const clientId = (new Headers(init.headers).get('authorization') as string).slice('Bearer t'.length);
    polls.push({ clientId, monotonicAt: clock.monotonic() });
    if (hub.latencyMs > 0) {
      await clock.sleep(hub.latencyMs, init.signal ?? undefined).finally(clock.park());
    }
    return new Response(null, { status: 204 });
  };
  return Object.assign(hub, { fetch: answer as typeof fetch });
}

/** A fleet that polls for a minute. */
async function pollingFleet() {
  const clock = new ManualClock();
  const hub = cheapHub(clock);
  const memory = memoryState();
  const state = new Proxy(memory, {
    get:
      (_target, name: keyof State) =>
      (...given: unknown[]) => {
        if (hub.isStateAway) throw new Error('connection is closed');
        return (memory[name] as (...given: unknown[]) => unknown).apply(memory, given);
      },
  });
  const fleet = new HubFleet({
    baseUrl: 'https://hub.example',
    fetch: hub.fetch,
    clock,
    state,
    logger: false,
    stores: stores(STORES),
  });
  onTestFinished(async () => {
    await afterAdvance(clock, '1s', fleet.stop({ timeoutMs: 0 }));
  });
  fleet.on('CREATED', () => {}).on('error', () => {});
  await afterAdvance(clock, '1m', fleet.start());
  return { clock, hub, fleet };
}

type Fleet = Awaited<ReturnType<typeof pollingFleet>>;

it('stalls of nearly two seconds make no other polls late', async () => {
  const stallMs = 1900;
  const { clock, hub } = await pollingFleet();
  const last = new Map(hub.polls.map(({ clientId, monotonicAt }) => [clientId, monotonicAt]));
  const before = hub.polls.length;
  for (let count = 0; count < 5; count += 1) {
    await clock.suspend(`${stallMs / 1000}s`);
    // At several moments of the interval.
    await clock.advance(INTERVAL_MS + 3100 * (count % 3));
  }
  await clock.advance(5 * INTERVAL_MS);
  let longestMs = 0;
  for (const { clientId, monotonicAt: at } of hub.polls.slice(before)) {
    longestMs = Math.max(longestMs, at - (last.get(clientId) ?? 0));
    last.set(clientId, at);
  }
  // Those that waited together begin at twice the mean rate.
  expect(longestMs).toBeLessThanOrEqual(INTERVAL_MS + 2 * stallMs);
  expect(densest(hub.polls, 1000)).toBeLessThanOrEqual(Math.ceil(3 * MEAN_PER_SECOND));
});

/** What goes wrong until it resolves, and how long after that the last store may wait for its next poll. */
const OUTAGES: Readonly<Record<string, readonly [(fleet: Fleet) => Promise<void>, number]>> = {
  // Its longest backoff is five minutes.
  'hub was away for an hour': [
    async ({ clock, hub }) => {
      hub.isAway = true;
      await clock.advance('1h');
      hub.isAway = false;
    },
    5 * 60_000 + 2 * INTERVAL_MS,
  ],
  'hub took 4 s for a response, for 20 s': [
    async ({ clock, hub }) => {
      hub.latencyMs = 4000;
      await clock.advance('20s');
      hub.latencyMs = 0;
    },
    2 * INTERVAL_MS,
  ],
  // Two failed turns: a backoff of up to two intervals.
  'state was away for a minute': [
    async ({ clock, hub }) => {
      hub.isStateAway = true;
      await clock.advance('1m');
      hub.isStateAway = false;
    },
    4 * INTERVAL_MS,
  ],
  'process was suspended for ten minutes': [({ clock }) => clock.suspend('10m'), 2 * INTERVAL_MS],
};

describe(`a fleet of ${STORES} stores, after its`, () => {
  it.each(Object.entries(OUTAGES))(
    '%s, polls at no more than three times the mean rate, and forgets no store',
    async (_what, [disturb, allMs]) => {
      const stage = await pollingFleet();
      const { clock, hub, fleet } = stage;
      const before = hub.polls.length;
      await disturb(stage);
      const endedAt = clock.monotonic();
      await clock.advance(allMs);
      // None is starved: each was polled again.
      const next = new Map<string, number>();
      for (const { clientId, monotonicAt: at } of hub.polls)
        if (at >= endedAt && !next.has(clientId)) next.set(clientId, at);
      expect(next.size).toBe(STORES);
      // From then on each is polled within two intervals of its last poll.
      const goneAt = Math.max(...next.values());
      await clock.advance(5 * INTERVAL_MS);
      const last = new Map<string, number>();
      let longestMs = 0;
      let shortestMs = Number.POSITIVE_INFINITY;
      for (const { clientId, monotonicAt: at } of hub.polls) {
        const lastAt = last.get(clientId) ?? 0;
        if (at > goneAt) longestMs = Math.max(longestMs, at - Math.max(goneAt, lastAt));
        if (lastAt > endedAt) shortestMs = Math.min(shortestMs, at - lastAt);
        last.set(clientId, at);
      }
      expect(longestMs).toBeLessThanOrEqual(2 * INTERVAL_MS);
      // The polls are spread by later ones, never by sooner ones.
      expect(shortestMs).toBeGreaterThanOrEqual(INTERVAL_MS);
      expect(Math.min(...last.values())).toBeGreaterThan(clock.monotonic() - 2 * INTERVAL_MS);
      expect(densest(hub.polls.slice(before), 1000)).toBeLessThanOrEqual(Math.ceil(3 * MEAN_PER_SECOND));
      expect(fleet.health()).toMatchObject({ polling: STORES, backingOff: 0, overdue: 0 });
    },
    600_000,
  );
});
