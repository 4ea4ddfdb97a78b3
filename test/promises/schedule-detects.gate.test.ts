import { describe, expect, it } from 'vitest';
import { withCalls } from '../events/support.js';
import type { Sabotage } from './member.js';
import { runSchedule } from './schedule.js';

const breachesOf = async (sabotage: Sabotage, seed: number, hours: number) =>
  (await runSchedule(seed, hours, 'poller', sabotage)).breaches.join('\n');

/** A client that reads the polls so. */
const polling = (
  change: (events: Event[], fetch: typeof globalThis.fetch, init: RequestInit) => Event[],
): Sabotage => ({
  network: (fetch) => async (input, init) => {
    const response = await fetch(input, init);
    if (!String(input).includes('polling') || response.status !== 200) return response;
    const text = await response.text();
    let body: unknown;
    try {
      body = JSON.parse(text);
    } catch {
      return new Response(text, response);
    }
    if (!Array.isArray(body)) return new Response(text, response);
    return Response.json(change(body as Event[], fetch, init ?? {}));
  },
});

interface Event {
  readonly eventId: string;
  readonly orderId: string;
  readonly eventType: string;
}

describe('a schedule detects a client that', () => {
  it('acknowledges the events it polls before its listeners have run', async () => {
    const early = polling((events, fetch, { headers }) => {
      const items = events.map(({ eventId: id, orderId, eventType }) => ({ id, orderId, eventType }));
      const sent = { ...Object(headers), 'content-type': 'application/json' };
      const init = { method: 'POST', headers: sent, body: JSON.stringify(items) };
      if (items.length > 0)
        void fetch('https://hub.example/opendelivery/v1/events/acknowledgment', init).catch(() => {});
      return events;
    });
    expect(await breachesOf(early, 1, 2)).toContain('acknowledged before it was handled');
  });

  it('does not see the second of two events with the same id', async () => {
    const blind = polling((events) =>
      events.filter(({ eventId }, at) => events.findIndex((each) => each.eventId === eventId) === at),
    );
    expect(await breachesOf(blind, 3, 2)).toContain('acknowledged before it was handled');
  });

  it('gives every process the lease of the store', async () => {
    const generous: Sabotage = {
      state: (state) =>
        withCalls(state, {
          lease: () => ({ granted: true, fence: 1 }),
          'slot and lease': (_next, key, request, clock) =>
            state.reserve(key as never, { ...Object(request), lease: undefined }, clock as never),
        }),
    };
    const breaches = await breachesOf(generous, 1, 3);
    expect(breaches).toContain('runs twice at once');
    expect(breaches).toContain('two events at once');
  });

  it('does not count attempts in the state', async () => {
    const forgets: Sabotage = {
      state: (state) =>
        withCalls(state, {
          'recall and count': (_next, key, ids, request, clock) =>
            state.recall(
              key as never,
              ids as never,
              { ...Object(request), count: undefined },
              clock as never,
            ),
          attempts: () => undefined,
        }),
    };
    let breaches = '';
    // Not every schedule restarts a process between two attempts of one event.
    for (const seed of [5, 1, 2, 3, 8, 9]) {
      if (!/attempt 1 after \d/.test(breaches)) breaches += await breachesOf(forgets, seed, 2);
    }
    expect(breaches).toMatch(/attempt 1 after \d/);
  });

  it('does not report that the hub has used an id twice', async () => {
    expect(await breachesOf({ hidesIssues: true }, 3, 2)).toContain('is in one poll twice');
  });
});
