import { expect, it } from 'vitest';
import { caught, fleetStage, one } from './support.js';

it('health of a fleet that was restarted while the hub refuses polls (429) says that it is backing off', async () => {
  const all = one();
  const { clock, mock, fleet } = fleetStage(all);
  fleet.on('CREATED', () => {}).on('error', () => {});
  void caught(fleet.start());
  await clock.advance('31s');
  mock.faults.next('polling', { status: 429, headers: { 'retry-after': '3600' } });
  await clock.advance('31s');
  expect(fleet.health()).toMatchObject({ polling: 0, backingOff: 1 });
  await fleet.stop();
  void caught(fleet.start());
  await clock.advance('2m');
  expect(fleet.health()).toMatchObject({ polling: 0, backingOff: 1 });
  expect(fleet.health('store-0').lastError).toMatchObject({ code: 'rate_limit' });
  await clock.advance('1h');
  expect(fleet.health()).toMatchObject({ polling: 1, backingOff: 0 });
  expect(fleet.health('store-0').lastError).toBeUndefined();
});
