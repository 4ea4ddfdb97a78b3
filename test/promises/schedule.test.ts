import { describe, expect, it } from 'vitest';
import { runSchedule } from './schedule.js';

describe('ten seeded schedules of faults, six virtual hours each', () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])('seed %i breaks no promise', async (seed) => {
    const { breaches, events } = await runSchedule(seed, 6);
    expect(breaches, `run it again: runSchedule(${seed}, 6)`).toEqual([]);
    expect(events).toBeGreaterThan(50);
  });

  it('sees a client that acknowledges what it polls before its listeners have run', async () => {
    const { EventsClient } = await import('../../src/events/client.js');
    const honest = EventsClient.prototype.poll;
    EventsClient.prototype.poll = async function (options) {
      const result = await honest.call(this, options);
      if (result.events.length > 0) void this.acknowledge(result.events).catch(() => {});
      return result;
    };
    const { breaches } = await runSchedule(1, 2).finally(() => {
      EventsClient.prototype.poll = honest;
    });
    expect(breaches.join('\n')).toContain('acknowledged before it was handled');
  });
});
