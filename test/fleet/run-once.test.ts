import { describe, expect, it } from 'vitest';
import { afterAdvance } from '../support.js';
import { fleetStage, one } from './support.js';

const SKIPPED = { skipped: 'leased', retryAfterMs: expect.any(Number) };

describe('runOnce of a fleet', () => {
  it('is skipped, and sends nothing, while the fleet polls the store (point 16)', async () => {
    const { clock, mock, fleet } = fleetStage(one());
    fleet.on('event', () => {});
    await afterAdvance(clock, '31s', fleet.start());
    const before = mock.requests.length;
    const report = await fleet.runOnce('store-0').catch((error: Error) => error.message);
    expect(report).toEqual(SKIPPED);
    expect(mock.requests).toHaveLength(before);
    await fleet.stop();
    await clock.advance('1m');
    expect(await fleet.runOnce('store-0')).toMatchObject({ received: 0 });
  });

  it('is skipped while another one of the same fleet polls the store (point 16)', async () => {
    const { clock, mock, fleet } = fleetStage(one(), {}, { latencyMs: 1000 });
    fleet.on('event', () => {});
    const reports = Promise.all(
      [1, 2].map(() => fleet.runOnce('store-0').catch((error: Error) => error.message)),
    );
    await clock.advance('10s');
    expect(await reports).toEqual([expect.objectContaining({ received: 0 }), SKIPPED]);
    expect(mock.requests.filter(({ endpoint }) => endpoint === 'polling')).toHaveLength(1);
  });
});
