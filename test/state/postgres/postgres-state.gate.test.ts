import { inspect } from 'node:util';
import { type Lease, type Reservation, StateError, systemClock } from 'opendelivery-client';
import { type PostgresState, postgresState } from 'opendelivery-client/sql';
import { createMockHub, ManualClock, stateContract } from 'opendelivery-client/testing';
import type { Pool, PoolConfig } from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { codeBlocksOf, readText } from '../../docs/blocks.js';
import { clientOf } from '../../support.js';
import { itHolds } from '../contract.js';
import { expectSharedStore } from '../two-clients.js';
import { describeWithPostgres, type PostgresServer } from './server.js';
import { controlTime, empty, poolAt } from './server-time.js';

const clock = systemClock;
const DAY_MS = 86_400_000;
const lifetimes = { handledMs: DAY_MS, attemptedMs: DAY_MS };
const countAll = (ids: readonly string[]) => ({
  ...lifetimes,
  count: { ids, below: Number.POSITIVE_INFINITY },
});

/** What the guide grants to the user `app`. */
const grants = codeBlocksOf(readText('docs/postgres-state.md'))
  .filter(({ language }) => language === 'sql')
  .flatMap(({ code }) => code.split(';'))
  .map((statement) => statement.trim())
  .filter((statement) => statement.startsWith('grant '));

const granted = <Result extends Lease | Reservation>(results: readonly Result[]) =>
  results.filter((result) => result.granted);

describeWithPostgres('postgresState', (startPostgres) => {
  let server: PostgresServer;
  let admin: Pool;
  beforeAll(async () => {
    server = await startPostgres();
    admin = server.pool({ max: 4 });
  });
  afterAll(() => server.close());

  /** A pool until the test ends. */
  function poolOfTest(config: PoolConfig): Pool {
    const pool = server.pool(config);
    onTestFinished(() => pool.end());
    return pool;
  }

  /** A state in a schema of its own, with several connections. */
  async function stateIn(schema: string): Promise<PostgresState> {
    const state = postgresState(poolOfTest({ max: 8 }), { schema });
    await state.migrate();
    return state;
  }

  describe('passes the contract', () => {
    let pool: Pool;
    beforeAll(async () => {
      pool = server.pool({ max: 8 });
      await controlTime(pool, 'contract');
      // Each state listens to the pool through a view of its own.
      pool.setMaxListeners(0);
    });
    const cases = stateContract(async (time) => {
      await empty(pool, 'contract');
      const open = () => postgresState(poolAt(pool, time, 'contract'), { schema: 'contract' });
      return { state: open(), reopen: async () => open(), close: async () => {} };
    });
    itHolds(cases);
  });

  describe('measures with the clock of the server, and', () => {
    let pool: Pool;
    beforeAll(async () => {
      pool = server.pool({ max: 4 });
      await postgresState(pool, { schema: 'real_time' }).migrate();
    });
    const cases = stateContract(async () => {
      await pool.query(
        'truncate real_time.state_values, real_time.state_slots, real_time.state_shuts, real_time.state_leases, real_time.state_marks',
      );
      return { state: postgresState(pool, { schema: 'real_time' }), close: async () => {} };
    });
    itHolds(cases.filter(({ name }) => /and not longer|and not before|exact/.test(name)));
  });

  describe('over several connections at once', () => {
    it('gives a lease that is free to one, and each holder a greater fence', async () => {
      const state = await stateIn('crowd');
      let last = 0;
      for (let round = 0; round < 10; round += 1) {
        const results = await Promise.all(
          Array.from({ length: 20 }, (_, index) =>
            state.lease('l', { holder: `${round}-${index}`, leaseMs: 60_000 }, clock),
          ),
        );
        const winner = results.findIndex((result) => result.granted);
        expect(granted(results)).toHaveLength(1);
        const { fence } = results[winner] as { fence: number };
        expect(fence).toBeGreaterThan(last);
        last = fence;
        await state.lease('l', { holder: `${round}-${winner}`, leaseMs: 0 }, clock);
      }
    });

    it('counts each attempt once, whatever the order of the ids', async () => {
      const state = await stateIn('crowd');
      const ids = Array.from({ length: 100 }, (_, index) => `event-${index}`);
      const calls = Array.from({ length: 20 }, (_, index) => {
        const order = index % 2 ? ids : ids.toReversed();
        return Promise.resolve(state.recall('h', order, countAll(ids), clock)).then((marks) =>
          index % 2 ? marks : marks.toReversed(),
        );
      });
      const results = await Promise.all(calls);
      for (const [index] of ids.entries()) {
        const seen = results.map((marks) => marks[index]?.attempts).sort((a = 0, b = 0) => a - b);
        expect(seen).toEqual(Array.from({ length: 20 }, (_, attempts) => attempts));
      }
    });

    it('never waits for ever, also while rows that have expired are deleted', async () => {
      const state = await stateIn('sweep');
      const ids = Array.from({ length: 50 }, (_, index) => `event-${index}`);
      const calls = Array.from({ length: 200 }, async (_, index) => {
        const key = `h${index % 5}`;
        await state.mark(key, ids, { handled: true, forMs: 1 }, clock);
        await state.recall(key, ids, countAll(ids), clock);
        await state.mark(key, ids, { attempts: -1, forMs: 1 }, clock);
      });
      await expect(Promise.all(calls)).resolves.toHaveLength(200);
      const left = await admin.query('select count(*)::int as rows from sweep.state_marks');
      expect(left.rows[0].rows).toBeLessThanOrEqual(250);
    });

    it('makes its tables in five processes at once, and again does nothing', async () => {
      const pools = Array.from({ length: 5 }, () => poolOfTest({ max: 2 }));
      for (let round = 0; round < 5; round += 1) {
        const states = pools.map((pool) => postgresState(pool, { schema: `together_${round}` }));
        await Promise.all(states.flatMap((state) => [state.migrate(), state.migrate()]));
        await states[0]?.set('v', 'kept', { forMs: DAY_MS }, clock);
        await Promise.all(states.map((state) => state.migrate()));
        expect(await states[1]?.get('v', clock)).toBe('kept');
      }
    });
  });

  it('needs the permissions that the guide lists, and no others', async () => {
    await postgresState(admin).migrate();
    await admin.query('create role app login');
    for (const statement of grants) await admin.query(statement);
    const app = poolOfTest({ user: 'app', max: 4 });
    const state = postgresState(app);
    await state.migrate();
    const { hub, mock, time } = hubWith(state);
    const handled: string[] = [];
    const poller = hub.poller().on('CREATED', ({ eventId }) => void handled.push(eventId));
    const created = mock.createOrder().event.eventId;
    await poller.start();
    await hub.merchant.get();
    await time.advance('1m');
    await poller.stop();
    expect(handled).toEqual([created]);
    expect(mock.pending()).toEqual([]);
    await expect(() => postgresState(app, { schema: 'more' }).migrate()).rejects.toThrow(
      /permission denied.*lacks a permission/,
    );
    expect(grants.length).toBeGreaterThan(1);
    for (const needed of grants) {
      await admin.query(needed.replace('grant ', 'revoke ').replace(' to app', ' from app'));
      await expect(useAll(state)).rejects.toThrow(/lacks a permission; docs\/postgres-state\.md/);
      await admin.query(needed);
    }
  });

  /** Calls every method. */
  async function useAll(state: PostgresState): Promise<void> {
    await state.set('v', 'value', { forMs: 1000 }, clock);
    await state.get('v', clock);
    const slot = await state.reserve('q', { limit: 1000, holdMs: 1000 }, clock);
    await state.settle('q', { id: slot.granted ? slot.id : 'none', freeInMs: 0, shutMs: 1 }, clock);
    await state.lease('q', { holder: 'a', leaseMs: 1 }, clock);
    await state.recall('h', ['a'], countAll(['a']), clock);
    await state.mark('h', ['a'], { attempts: -1, forMs: 1000 }, clock);
  }

  function hubWith(state: PostgresState) {
    const time = new ManualClock();
    const mock = createMockHub({ clock: time, unansweredAfterMs: Number.POSITIVE_INFINITY });
    return { ...clientOf(mock, { clock: time, state, logger: false }), mock, time };
  }

  it('lets two clients of one store share the quota and handle each event once', async () => {
    const pool = poolOfTest({ max: 8 });
    await controlTime(pool, 'shared');
    await expectSharedStore((clock) => postgresState(poolAt(pool, clock, 'shared'), { schema: 'shared' }));
  });

  it.each(['repeatable read', 'serializable'])(
    'refuses the isolation level %s, in which a call does not see what it has waited for',
    async (level) => {
      await stateIn('isolated');
      const pool = poolOfTest({ options: `-c default_transaction_isolation=${level.replace(' ', '\\ ')}` });
      const state = postgresState(pool, { schema: 'isolated' });
      await expect(async () => state.get('v', clock)).rejects.toThrow(/read committed.*`alter role/);
    },
  );

  it('shows no value in its errors', async () => {
    const secret = 'token-that-nobody-may-see';
    const state = await stateIn('secret');
    await admin.query(`alter table secret.state_values add check (value <> '${secret}')`);
    const error = await Promise.resolve(state.set('v', secret, { forMs: 1000 }, clock)).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(StateError);
    for (const shown of [inspect(error, { depth: 9 }), JSON.stringify(error)])
      expect(shown).not.toContain(secret);
  });
});
