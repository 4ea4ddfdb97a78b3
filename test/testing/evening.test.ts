import { createMockHub, ManualClock, playEvening } from 'opendelivery-client/testing';
import { expect, it } from 'vitest';
import { afterAdvance } from '../support.js';

it('plays 100 minutes with 48 orders, one of them cancelled', async () => {
  const clock = new ManualClock();
  const mock = createMockHub({ clock });
  await afterAdvance(clock, '100m', playEvening(mock, clock));
  const count = (type: string) => mock.emitted().filter(({ eventType }) => eventType === type).length;
  expect(['CREATED', 'READY_FOR_PICKUP', 'DISPATCHED', 'CANCELLED', 'CONCLUDED'].map(count)).toEqual([
    48, 43, 42, 1, 42,
  ]);
  expect(clock.sleepers).toBe(0);
});

it("ends with the signal's reason", async () => {
  const clock = new ManualClock();
  const evening = playEvening(createMockHub({ clock }), clock, AbortSignal.abort('enough'));
  await expect(evening).rejects.toBe('enough');
});
