/** @module-tag slow */
import { createMockHub, ManualClock, playEvening } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { runs } from '../../runs.js';
import { afterAdvance, clientOf } from '../../support.js';
import { seeded } from './support.js';

const SEEDS = Array.from({ length: runs(5, 5) }, (_, index) => index + 1);

describe.each(SEEDS)('the evening with faults of seed %i', (seed) => {
  it.each(['poll', 'push', 'both'] as const)('is handled once per event by %s', async (way) => {
    const clock = new ManualClock();
    const mock = createMockHub({ clock });
    const random = seeded(seed);
    const { hub } = clientOf(mock, { clock, fetch: mock.fetch });
    // By push alone, a poll brings only what no push has brought.
    const poller = hub.poller({ intervalMs: way === 'push' ? 600_000 : 30_000 }).on('error', () => {});
    const handled: string[] = [];
    poller.on('event', async ({ eventId }) => {
      await clock.sleep(random() * 2000);
      if (random() < 0.1) throw new Error('the database is away');
      handled.push(eventId);
    });
    await poller.start();
    const pushing =
      way === 'poll'
        ? undefined
        : mock.push(
            async (request) => {
              await clock.sleep(random() * 3000);
              if (random() < 0.1) throw new TypeError('the request is lost');
              const copy = request.clone();
              if (random() < 0.1) void poller.receive(copy);
              const response = await poller.receive(request);
              if (random() < 0.1) throw new TypeError('the response is lost');
              return response;
            },
            { alsoPolled: way === 'both' },
          );
    mock.faults.random({ seed, rate: 0.2 });
    await afterAdvance(clock, '100m', playEvening(mock, clock));
    await clock.advance('30m');
    const emitted = mock.emitted().map(({ eventId }) => eventId);
    expect(handled.toSorted()).toEqual(emitted.toSorted());
    expect(mock.pending()).toEqual([]);
    expect(mock.violations().filter(({ rule }) => !rule.startsWith('unanswered'))).toEqual([]);
    const pushed = new Set(
      pushing?.deliveries.flatMap(({ eventId, status }) => (status === 200 ? eventId : [])),
    );
    expect(pushed.size).toBeGreaterThanOrEqual(way === 'poll' ? 0 : emitted.length * 0.8);
    pushing?.stop();
    await afterAdvance(clock, '1m', poller.stop());
  });
});
