import { expect, it } from 'vitest';
import { forgetful } from '../events/support.js';
import { densest } from '../support.js';
import { caught, fleetOf, fleetStage, polling, stores } from './support.js';

it('tells a state that has lost its content how long the slots of each store are taken: no store is polled a third time within 60 s (point 12)', async () => {
  const all = stores(60);
  const { state, forget } = forgetful();
  const { clock, mock, fleet } = await polling(fleetStage(all, { state }), '61s');
  forget();
  // This process polls each store once more, and has told the state what it knows.
  await clock.advance('31s');
  await fleet.stop();
  // Another process, which knows only what the state says.
  const other = fleetOf(mock, { clock, stores: all, state });
  other.fleet.on('event', () => {});
  const polled = Promise.all(all.map(({ storeId }) => caught(other.fleet.runOnce(storeId))));
  await clock.advance('2m');
  const pollsOf = (clientId: string) =>
    mock.requests.filter((request) => request.endpoint === 'polling' && request.clientId === clientId);
  const tooOften = all.filter(({ clientId }) => densest(pollsOf(clientId), 60_000) > 2);
  expect(tooOften.map(({ storeId }) => storeId)).toEqual([]);
  expect(new Set(await polled)).toEqual(new Set(['resolved']));
  expect(mock.violations()).toEqual([]);
});
