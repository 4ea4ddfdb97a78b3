import { postgresState } from 'opendelivery-client/sql';
import { createMockHub, ManualClock } from 'opendelivery-client/testing';
import type { Pool, PoolClient, PoolConfig } from 'pg';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { afterAdvance, clientOf } from '../../support.js';
import { expectNotBlocked, expectSurvived } from '../survives.js';
import { describeWithPostgres, type PostgresServer } from './server.js';
import { controlTime, poolAt } from './server-time.js';

/** What keeps the state from answering, and how it ends. */
interface Outage {
  readonly what: string;
  readonly schema: string;
  readonly options?: PoolConfig;
  /** The error that the application gets. */
  readonly error: RegExp;
  /** @returns its end. */
  begin(server: PostgresServer, pool: Pool): Promise<() => Promise<void>>;
}

const OUTAGES: readonly Outage[] = [
  {
    what: 'is stopped, and started',
    schema: 'stopped',
    error: /cannot be reached/,
    async begin(server) {
      await server.kill();
      return () => server.start();
    },
  },
  {
    what: 'is a read-only replica, and becomes the primary',
    schema: 'replica',
    error: /connect the pool to the primary/,
    async begin(server, pool) {
      await server.kill();
      server.setReplica(true);
      await server.start();
      return async () => void (await pool.query('select pg_promote()'));
    },
  },
  {
    what: 'has no connection left in the pool, which waits for one',
    schema: 'waits',
    options: { max: 2 },
    error: /did not answer|no connection was free/,
    begin: exhaust,
  },
  {
    what: 'has no connection left in the pool, which gives up soon',
    schema: 'gives_up',
    options: { max: 2, connectionTimeoutMillis: 300 },
    error: /did not answer|no connection was free/,
    begin: exhaust,
  },
  {
    what: 'has no connection left for this user',
    schema: 'crowded',
    options: { user: 'crowded', max: 2 },
    error: /no connection left/,
    async begin(server) {
      const admin = server.pool({ max: 1 });
      await admin.query('alter role crowded connection limit 0');
      await endConnections(admin, 'crowded');
      return async () => {
        await admin.query('alter role crowded connection limit -1');
        await admin.end();
      };
    },
  },
  {
    what: 'takes longer than statement_timeout, because a table is locked',
    schema: 'slow',
    options: { user: 'slow' },
    error: /statement_timeout/,
    async begin(server) {
      const admin = server.pool({ max: 1 });
      const other = await admin.connect();
      await limitUser(other, 'statement_timeout = 20', 'slow');
      await other.query('begin');
      await other.query('lock table slow.state_slots in access exclusive mode');
      return async () => {
        await other.query('rollback');
        await limitUser(other, 'statement_timeout = 0', 'slow');
        other.release();
        await admin.end();
      };
    },
  },
];

/** Changes a setting of a user, for its next connections; the present ones break. */
async function limitUser(admin: PoolClient, setting: string, user: string): Promise<void> {
  await admin.query(`alter role ${user} set ${setting}`);
  await endConnections(admin, user);
}

async function endConnections(admin: Pool | PoolClient, user: string): Promise<void> {
  await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where usename = $1', [user]);
}

async function exhaust(_server: PostgresServer, pool: Pool): Promise<() => Promise<void>> {
  const taken: PoolClient[] = [];
  while (taken.length < 2) taken.push(await pool.connect());
  return async () => {
    for (const client of taken) client.release();
  };
}

describeWithPostgres('a Postgres that', (startPostgres) => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
    const admin = server.pool({ max: 1 });
    for (const { schema } of OUTAGES) await controlTime(admin, schema);
    for (const user of ['crowded', 'slow'])
      await admin.query(`create role ${user} login in role pg_read_all_data, pg_write_all_data`);
    await admin.end();
  });
  afterAll(() => server.close());

  function poolOfTest(options: PoolConfig = {}): Pool {
    const pool = server.pool(options);
    onTestFinished(() => pool.end());
    return pool;
  }

  it.each(OUTAGES)(
    '$what gets no poll sent in between; no event is lost, handled twice or acknowledged unhandled',
    async ({ begin, options, schema, error }) => {
      const pool = poolOfTest(options);
      const stateAt = (clock: ManualClock) => postgresState(poolAt(pool, clock, schema), { schema });
      await expectSurvived(stateAt, () => begin(server, pool), error);
    },
  );

  it('is replaced by one with older data makes no fence smaller, and loses no event', async () => {
    const pool = poolOfTest();
    await controlTime(pool, 'replaced');
    const clock = new ManualClock();
    const mock = createMockHub({ clock, unansweredAfterMs: Number.POSITIVE_INFINITY });
    const fences: number[] = [];
    const handled: string[] = [];
    const pollerOfAnotherProcess = () => {
      const state = postgresState(poolAt(pool, clock, 'replaced'), { schema: 'replaced' });
      const { hub } = clientOf(mock, { clock, state, logger: false });
      const poller = hub.poller().on('CREATED', ({ eventId }, { fence }) => {
        handled.push(eventId);
        fences.push(fence ?? Number.NaN);
      });
      poller.on('error', () => {});
      return poller;
    };
    const first = pollerOfAnotherProcess();
    const created = [mock.createOrder().event.eventId];
    await server.save();
    await first.start();
    for (let count = 0; count < 5; count += 1) {
      created.push(mock.createOrder().event.eventId);
      await clock.advance('1m');
    }
    expect(handled).toEqual(created);

    await server.kill();
    server.restore();
    await server.start();
    created.push(mock.createOrder().event.eventId);
    await clock.advance('5m');
    await first.stop();
    const second = pollerOfAnotherProcess();
    created.push(mock.createOrder().event.eventId);
    await afterAdvance(clock, '5m', second.start());
    await second.stop();
    expect([...new Set(handled)]).toEqual(created);
    expect(mock.pending()).toEqual([]);
    expect(fences).not.toContain(Number.NaN);
    expect(fences).toEqual([...fences].sort((a, b) => a - b));
    // The older data has no lease, so each of both gets a greater fence.
    expect(new Set(fences).size).toBe(3);
  });

  it.each([
    ['does not run', { host: '/nonexistent' }, 'opendelivery', /cannot be reached/],
    ['has no tables', {}, 'without_tables', /`await state\.migrate\(\)`/],
  ])('%s from the beginning does not block a client', async (_what, options, schema, message) => {
    expect(await expectNotBlocked(postgresState(poolOfTest(options), { schema }))).toMatch(message);
  });
});
