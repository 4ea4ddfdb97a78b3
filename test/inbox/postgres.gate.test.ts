import type { EventEmitter } from 'node:events';
import { PGlite } from '@electric-sql/pglite';
import { postgresInbox, postgresState, sqlInbox } from 'opendelivery-client/sql';
import { inboxContract } from 'opendelivery-client/testing';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { itHolds } from '../state/contract.js';
import { describeWithPostgres, type PostgresServer } from '../state/postgres/server.js';
import { requestsTo, stage } from '../support.js';

describe('sqlInbox over PGlite', () => {
  let database: PGlite;
  beforeAll(() => {
    database = new PGlite();
  });
  afterAll(() => database.close());
  const open = async () => {
    await database.exec('drop schema if exists opendelivery cascade');
    const inbox = sqlInbox<Awaited<Parameters<Parameters<PGlite['transaction']>[0]>[0]>>({
      dialect: 'postgres',
      query: async (sql, parameters, tx) => (await (tx ?? database).query<object>(sql, parameters)).rows,
      transaction: (run) => database.transaction(run),
    });
    await inbox.migrate();
    return { inbox, close: async () => {} };
  };

  itHolds(inboxContract(open));

  it('ends the transaction of a process that has vanished', async () => {
    const { inbox } = await open();
    const { hub, mock } = stage();
    const limits: unknown[] = [];
    const poller = hub.poller({ inbox });
    poller.on('CREATED', (_event, { commit }) =>
      commit(async (tx) => {
        limits.push((await tx.query('show idle_in_transaction_session_timeout')).rows);
      }),
    );
    mock.createOrder();
    await poller.runOnce();
    expect(limits).toEqual([[{ idle_in_transaction_session_timeout: '40s' }]]);
  });
});

describeWithPostgres('postgresInbox', (start) => {
  let server: PostgresServer;
  let count = 0;
  beforeAll(async () => {
    server = await start();
  });
  afterAll(() => server.close());
  const open = async () => {
    count += 1;
    const schema = `shop-${count}`;
    const pools = [server.pool(), server.pool()];
    const [inbox, other] = pools.map((pool) => postgresInbox(pool, { schema }));
    if (!inbox || !other) throw new Error('there are two pools');
    // Several processes may do it at once.
    await Promise.all([inbox.migrate(), inbox.migrate(), other.migrate()]);
    const close = async () => void (await Promise.all(pools.map((pool) => pool.end())));
    return { inbox, reopen: () => other, close };
  };

  itHolds(inboxContract(open));

  it('makes its tables once: again it waits for no commit, and needs no right to make them', async () => {
    const { inbox, close } = await open();
    const schema = `shop-${count}`;
    const [pool, impatient] = [server.pool(), server.pool({ statement_timeout: 3000 })];
    const client = await pool.connect();
    await client.query(`begin; lock table "${schema}".outbox in row exclusive mode`);
    await postgresInbox(impatient, { schema }).migrate();
    await client.query('rollback; set default_transaction_read_only = on');
    client.release();
    await postgresInbox(pool, { schema }).migrate();
    // A database in which it cannot make them: the error is one of ours.
    await expect(postgresInbox(pool, { schema: 'never-made' }).migrate()).rejects.toMatchObject({
      code: 'state',
      message: expect.stringMatching(/read-only.*connect to the primary/),
    });
    await inbox.stats();
    for (const each of [pool, impatient]) await each.end();
    await close();
  });

  it.each(['', 'create index outbox_order on NAME.outbox (id)'])(
    'makes none where the application has a table of that name: %s',
    async (index) => {
      const pool = server.pool();
      const schema = `taken-${index.length}`;
      await pool.query(`create schema "${schema}"; create table "${schema}".outbox (id int);
        ${index.replace('NAME', `"${schema}"`)}`);
      await expect(postgresInbox(pool, { schema }).migrate()).rejects.toThrow(
        /give the inbox another schema/,
      );
      await pool.end();
    },
  );

  it('makes its tables while the state makes its own, in a new schema', async () => {
    const pool = server.pool();
    for (let round = 0; round < 10; round += 1) {
      const schema = `both-${round}`;
      const inbox = postgresInbox(pool, { schema });
      await Promise.all([postgresState(pool, { schema }).migrate(), inbox.migrate()]);
      expect(await inbox.stats()).toMatchObject({ waiting: 0 });
    }
    await pool.end();
  });

  it('writes what it stores and commits to the disk, also where the database commits asynchronously', async () => {
    const { close } = await open();
    const schema = `shop-${count}`;
    const pool = server.pool({ options: '-c synchronous_commit=off' });
    await pool.query(`create table "${schema}".levels (level text);
      create function "${schema}".note() returns trigger language plpgsql as $$
        begin insert into "${schema}".levels values (current_setting('synchronous_commit')); return null; end $$;
      create constraint trigger note after insert or update on "${schema}".inbox deferrable initially deferred
        for each row when (new.status <> 'running') execute function "${schema}".note();
      create constraint trigger note after update on "${schema}".outbox deferrable initially deferred
        for each row when (new.status = 'sending') execute function "${schema}".note()`);
    const { hub, mock } = stage();
    const poller = hub.poller({ inbox: postgresInbox(pool, { schema }) });
    poller.on('CREATED', ({ orderId }, { commit }) => commit((_tx, outbox) => outbox.confirm(orderId)));
    mock.createOrder();
    await poller.runOnce();
    const { rows } = await pool.query(`select level from "${schema}".levels`);
    expect(rows).toEqual([{ level: 'on' }, { level: 'on' }, { level: 'on' }]);
    expect((await pool.query('show synchronous_commit')).rows).toEqual([{ synchronous_commit: 'off' }]);
    await pool.end();
    await close();
  });

  it('needs the permissions that the guide lists, and says which guide', async () => {
    const { close } = await open();
    const schema = `shop-${count}`;
    const admin = server.pool();
    await admin.query(`create role clerk login; grant usage on schema "${schema}" to clerk`);
    const pool = server.pool({ user: 'clerk' });
    const inbox = postgresInbox(pool, { schema });
    await inbox.migrate();
    const refused = { code: 'state', message: expect.stringContaining('docs/inbox.md lists') };
    await expect(inbox.stats()).rejects.toMatchObject(refused);
    await admin.query(`grant select, insert, update, delete on all tables in schema "${schema}" to clerk`);
    const { hub, mock } = stage();
    const poller = hub.poller({ inbox });
    poller.on('CREATED', ({ orderId }, { commit }) => commit((_tx, outbox) => outbox.confirm(orderId)));
    const { orderId } = mock.createOrder().event;
    await poller.runOnce();
    expect(requestsTo(mock, 'orderStatus').map(({ path }) => path)).toEqual([
      `/opendelivery/v1/orders/${orderId}/confirm`,
    ]);
    for (const each of [admin, pool]) await each.end();
    await close();
  });

  it('runs an event again if the connection of its commit breaks in the moment in which the pool opens it', async () => {
    const { close } = await open();
    let breaks = false;
    class Breaking extends Client {
      override connect(...given: unknown[]): never {
        const [done] = given as [(error?: Error) => void];
        const connected = (error?: Error) => {
          done(error);
          // As if the server's last words came with its first ones.
          if (breaks)
            (this as unknown as { connection: EventEmitter }).connection.emit(
              'error',
              new Error('shut down'),
            );
        };
        return super.connect(connected as never) as never;
      }
    }
    // Each use has a new connection.
    const pool = server.pool({ Client: Breaking as never, maxUses: 1 });
    const { hub, mock, clock } = stage();
    const poller = hub
      .poller({ inbox: postgresInbox(pool, { schema: `shop-${count}` }) })
      .on('error', () => {});
    const attempts: number[] = [];
    poller.on('CREATED', (_event, { attempt, commit }) => {
      attempts.push(attempt);
      breaks = attempt === 1;
      return commit(() => {}).finally(() => {
        breaks = false;
      });
    });
    mock.createOrder();
    await poller.runOnce();
    await clock.advance('5m');
    await poller.runOnce();
    expect(attempts).toEqual([1, 2]);
    await pool.end();
    await close();
  });

  it('finds the event that proves a command whose response was lost', async () => {
    const { inbox, close } = await open();
    const { clock, hub, mock } = stage({ cancellation: 'leave' });
    const poller = hub.poller({ inbox });
    poller.on('CREATED', ({ orderId }, { commit }) =>
      commit((_tx, outbox) =>
        outbox.requestCancellation(orderId, { reason: 'no rice', code: 'SYSTEMIC_ISSUES', mode: 'AUTO' }),
      ),
    );
    poller.on('CANCELLATION_REQUESTED', () => {});
    mock.faults.next('order', 404, 100);
    mock.faults.next('orderStatus', 'lost');
    const { orderId } = mock.createOrder();
    void poller.start();
    await clock.advance('3m');
    await poller.stop();
    expect((await inbox.history({ orderId })).commands).toMatchObject([{ status: 'sent', attempts: 3 }]);
    await close();
  });

  it('names the isolation level with which transactions that collide fail', async () => {
    const { close } = await open();
    const schema = `shop-${count}`;
    const pool = server.pool({ options: '-c default_transaction_isolation=serializable' });
    const inbox = postgresInbox(pool, { schema });
    const { clock, hub, mock } = stage();
    mock.createOrder();
    await hub
      .poller({ inbox })
      .on('CREATED', (_event, { commit }) => commit(() => {}))
      .runOnce();
    await clock.advance('1h');
    const client = await pool.connect();
    await client.query(`begin; update "${schema}".inbox set attempts = 9; `);
    const pruned = expect(inbox.prune({ olderThanMs: 0 })).rejects.toThrow(
      /default_transaction_isolation to read committed/,
    );
    const waiting = "select from pg_stat_activity where wait_event_type = 'Lock'";
    await expect.poll(async () => (await pool.query(waiting)).rows).toHaveLength(1);
    await client.query('commit');
    client.release();
    await pruned;
    await pool.end();
    await close();
  });

  it('keeps Event id, order id, type, status and command as text', async () => {
    const { inbox, close } = await open();
    await inbox.migrate();
    const { rows } = await server.pool().query(
      `select table_name, column_name, data_type from information_schema.columns
       where table_schema = $1 and column_name = any ($2)`,
      [`shop-${count}`, ['event_id', 'order_id', 'event_type', 'status', 'command']],
    );
    await close();
    expect(rows.length).toBe(8);
    expect(new Set(rows.map(({ data_type }) => data_type))).toEqual(new Set(['text']));
  });
});
