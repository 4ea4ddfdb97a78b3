import { PGlite } from '@electric-sql/pglite';
import { systemClock } from 'opendelivery-client';
import { type PostgresPool, postgresState } from 'opendelivery-client/sql';
import { createMockHub, ManualClock, stateContract } from 'opendelivery-client/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readText } from '../../docs/blocks.js';
import { afterAdvance, clientOf } from '../../support.js';
import { itHolds } from '../contract.js';
import { controlTime, empty, poolAt } from './server-time.js';

const DAY_MS = 86_400_000;
const lifetimes = { handledMs: DAY_MS, attemptedMs: 7 * DAY_MS };
const idsFrom = (start: number, count: number) =>
  Array.from({ length: count }, (_, index) => `event-${start + index}`);

/** A real Postgres, in WebAssembly, on every machine. */
describe('postgresState over PGlite', () => {
  let database: PGlite;
  beforeAll(async () => {
    database = new PGlite();
    // Its tables are those of the file in the package, which may run twice.
    for (let time = 0; time < 2; time += 1) await database.exec(readText('sql/postgres-state.sql'));
    await controlTime(database);
    // To compile it takes a second, and much longer on a busy machine.
  });
  beforeEach(() => empty(database));
  afterAll(() => database.close());

  const stateAt = (clock: ManualClock) => postgresState(poolAt(database, clock));
  const rowsOf = async (table: string) =>
    (await database.query<Record<string, unknown>>(`select * from opendelivery.${table}`)).rows;

  const cases = stateContract(async (clock) => {
    await empty(database);
    return { state: stateAt(clock), reopen: async () => stateAt(clock), close: async () => {} };
  });
  itHolds(cases);

  it('tells apart ids that are too long for an index', async () => {
    const clock = systemClock;
    const state = postgresState(database);
    const ids = ['x', '😀', '\u0000'].flatMap((unit) => [unit.repeat(100_000), `${unit.repeat(100_000)}x`]);
    await state.mark('h', ids.slice(0, 3), { handled: true, forMs: DAY_MS }, clock);
    const marks = await state.recall('h', ids, lifetimes, clock);
    expect(marks.map(({ handled }) => handled)).toEqual([true, true, true, false, false, false]);
    const texts = (await rowsOf('state_marks')).map(({ id }) => String(id));
    expect(Math.max(...texts.map((text) => text.length))).toBeLessThan(100);
  });

  it('is one statement for each call, whatever the number of ids', async () => {
    const texts: string[] = [];
    const pool: PostgresPool = {
      query: (text, values) => {
        texts.push(text);
        return database.query(text, values);
      },
    };
    const state = postgresState(pool);
    const clock = systemClock;
    const ids = idsFrom(0, 1000);
    const lease = { holder: 'a', leaseMs: 45_000 };
    const calls = [
      () => state.get('v', clock),
      () => state.set('v', 'value', { forMs: 1000 }, clock),
      () => state.reserve('q', { limit: 2, holdMs: 95_000, lease }, clock),
      () => state.settle('q', { id: 'slot', freeInMs: 60_000, shutMs: 1000 }, clock),
      () => state.lease('q', lease, clock),
      () => state.recall('h', ids, { ...lifetimes, count: { ids, below: 1 } }, clock),
      () => state.mark('h', ids, { handled: true, forMs: DAY_MS }, clock),
      () => state.mark('h', ids, { attempts: 1, forMs: DAY_MS }, clock),
    ];
    for (const call of calls) {
      texts.length = 0;
      await call();
      expect(texts).toEqual([expect.stringMatching(/^select \* from "opendelivery"\.state_\w+\(\$1/)]);
    }
    texts.length = 0;
    expect(await state.recall('h', [], lifetimes, clock)).toEqual([]);
    await state.mark('h', [], { handled: true, forMs: DAY_MS }, clock);
    expect(texts).toEqual([]);
  });

  /** A poller over a state in the database, and the round trips of its polls: calls that are sent together count once. */
  async function polling() {
    const clock = new ManualClock();
    const mock = createMockHub({ clock, unansweredAfterMs: Number.POSITIVE_INFINITY });
    /** The longest chain of calls, each sent after the reply of the one before, and the longest one that is answered. */
    let sentTrips = 0;
    let answeredTrips = 0;
    const pool: PostgresPool = {
      query: async (text, values) => {
        if (!/\.state_(\w+)\(/.test(text)) return database.query(text, values);
        const trip = answeredTrips + 1;
        sentTrips = Math.max(sentTrips, trip);
        const reply = await database.query(text, values);
        answeredTrips = Math.max(answeredTrips, trip);
        return reply;
      },
    };
    const { hub } = clientOf(mock, { clock, state: postgresState(poolAt(pool, clock)) });
    const poller = hub.poller().on('CREATED', () => {});
    await afterAdvance(clock, '1m', poller.start());
    return async (events: number) => {
      for (let count = 0; count < events; count += 1) mock.createOrder();
      const before = sentTrips;
      await clock.advance('30s');
      expect(mock.pending()).toEqual([]);
      return sentTrips - before;
    };
  }

  it.each([
    [0, 2],
    [1, 5],
    [1000, 16],
  ])('makes for a poll with %i events at most %i round trips', async (events, most) => {
    const roundTripsOfPollWith = await polling();
    const roundTrips = await roundTripsOfPollWith(events);
    expect(roundTrips).toBeGreaterThanOrEqual(2);
    expect(roundTrips).toBeLessThanOrEqual(most);
  });

  it('deletes what has expired, of all keys, a thousand rows at a time', async () => {
    const clock = new ManualClock();
    const state = stateAt(clock);
    for (const key of ['one', 'two', 'three'])
      await state.mark(`h:${key}`, idsFrom(0, 600), { handled: true, forMs: 1000 }, clock);
    await state.set('v:one', 'value', { forMs: 1000 }, clock);
    await state.reserve('q:one', { limit: 2, holdMs: 1000 }, clock);
    await state.settle('q:one', { shutMs: 1000 }, clock);
    await clock.advance('1s');
    await state.mark('h:four', ['kept'], { handled: true, forMs: 1000 }, clock);
    expect(await rowsOf('state_marks')).toHaveLength(801);
    await state.recall('h:four', ['new'], { ...lifetimes, count: { ids: ['new'], below: 1 } }, clock);
    await state.set('v:two', 'value', { forMs: 1000 }, clock);
    await state.reserve('q:two', { limit: 2, holdMs: 1000 }, clock);
    await state.settle('q:two', { shutMs: 1000 }, clock);
    expect((await rowsOf('state_marks')).map(({ id }) => id).sort()).toEqual(['kept', 'new']);
    for (const table of ['state_values', 'state_slots', 'state_shuts'])
      expect((await rowsOf(table)).map(({ key }) => String(key).slice(2))).toEqual(['two']);
  });

  it('writes nothing when marks are recalled that are still young', async () => {
    const clock = new ManualClock();
    const state = stateAt(clock);
    const ids = idsFrom(0, 10);
    await state.mark('h', ids, { handled: true, forMs: DAY_MS }, clock);
    const versions = async () =>
      (await database.query('select xmin, ctid from opendelivery.state_marks order by id')).rows;
    const before = await versions();
    await clock.advance('5h');
    await state.recall('h', ids, lifetimes, clock);
    expect(await versions()).toEqual(before);
    await clock.advance('2h');
    await state.recall('h', ids, lifetimes, clock);
    expect(await versions()).not.toEqual(before);
  });

  it('keeps the fence of a lease that has ended, so that the next one is greater although the clock was set back', async () => {
    const clock = new ManualClock();
    const state = stateAt(clock);
    const first = await state.lease('q', { holder: 'a', leaseMs: 1000 }, clock);
    await clock.advance('30d');
    await state.reserve('other', { limit: 1, holdMs: 1000 }, clock);
    clock.step(-60 * DAY_MS);
    const second = await state.lease('q', { holder: 'b', leaseMs: 1000 }, clock);
    expect(first.granted && second.granted && second.fence === first.fence + 1).toBe(false);
    await clock.advance('1s');
    const third = await state.lease('q', { holder: 'b', leaseMs: 1000 }, clock);
    expect(first.granted && third.granted && third.fence === first.fence + 1).toBe(true);
  });

  it('has the schema of the option, beside another one', async () => {
    const clock = systemClock;
    const one = postgresState(database);
    const two = postgresState(database, { schema: 'Shop-2' });
    await one.set('v', 'one', { forMs: DAY_MS }, clock);
    await expect(async () => two.get('v', clock)).rejects.toThrow(/await state\.migrate\(\)/);
    await two.migrate();
    await two.migrate();
    expect(await two.get('v', clock)).toBeUndefined();
    await two.set('v', 'two', { forMs: DAY_MS }, clock);
    expect([await one.get('v', clock), await two.get('v', clock)]).toEqual(['one', 'two']);
  });
});
