import type { EventEmitter } from 'node:events';
import { postgresInbox } from 'opendelivery-client/sql';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { describeWithPostgres, type PostgresServer } from '../state/postgres/server.js';
import { afterAdvance, stage } from '../support.js';

describeWithPostgres('a transaction of Postgres that does not commit', (start) => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await start();
    await server.pool().query('create table orders (id text primary key)');
  });
  afterAll(() => server.close());

  it.each([
    ['and no command', false],
    ['and sends none of its commands', true],
  ])('fails its listener if the callback has ended it, %s', async (_, hasCommand) => {
    const inbox = postgresInbox(server.pool(), { schema: `ended_${hasCommand}` });
    await inbox.migrate();
    const { hub, mock, clock } = stage();
    const errors: string[] = [];
    const poller = hub.poller({ inbox }).on('error', ({ message }) => void errors.push(message));
    poller.on('CREATED', ({ orderId }, { commit }) =>
      commit(async (tx, outbox) => {
        if (hasCommand) outbox.confirm(orderId);
        await tx.query('rollback');
      }),
    );
    const { orderId } = mock.createOrder();
    await poller.start();
    await clock.advance('20s');
    expect(errors).toEqual([
      expect.stringMatching(hasCommand ? /ended the transaction/ : /the callback of commit has ended it/),
    ]);
    expect(await inbox.stats()).toMatchObject({ failed: 1, running: 0, commands: 0 });
    expect((await inbox.history({ orderId })).commands).toEqual([]);
    await afterAdvance(clock, '1m', hub.close());
  });

  it('fails its listener, also if the callback has caught the error of its statement', async () => {
    const pool = server.pool();
    const inbox = postgresInbox(pool, { schema: 'caught' });
    await inbox.migrate();
    const { hub, mock } = stage();
    const errors: string[] = [];
    const poller = hub.poller({ inbox }).on('error', ({ message }) => void errors.push(message));
    poller.on('CREATED', ({ orderId }, { commit }) =>
      commit(async (tx) => {
        await tx.query('insert into orders values ($1)', [orderId]);
        await tx.query('insert into orders values ($1)', [orderId]).catch(() => {});
      }),
    );
    const { event } = mock.createOrder();
    expect(await poller.runOnce()).toMatchObject({ failures: [{ eventId: event.eventId }] });
    expect(errors[0]).toContain('Postgres cannot commit: a statement of the transaction had failed');
    expect(await inbox.stats()).toMatchObject({ failed: 1, running: 0 });
  });

  it('does not end the process if its connection breaks while the callback waits', async () => {
    const pool = server.pool();
    const other = server.pool();
    const uncaught: Error[] = [];
    const note = (error: Error) => void uncaught.push(error);
    process.on('uncaughtExceptionMonitor', note);
    onTestFinished(() => void process.off('uncaughtExceptionMonitor', note));
    const inbox = postgresInbox(pool, { schema: 'broken' });
    await inbox.migrate();
    const { hub, mock } = stage();
    const errors: unknown[] = [];
    const retryDelayMs = { min: 0, max: 0 };
    const poller = hub.poller({ inbox, retryDelayMs }).on('error', (error) => void errors.push(error));
    const committed: string[] = [];
    let isFirst = true;
    poller.on('CREATED', async ({ orderId }, { commit }) => {
      await commit(async (tx) => {
        if (!isFirst) return;
        isFirst = false;
        // A listener for its errors would hide what this test is about.
        const broken = new Promise((resolve) => (tx as unknown as EventEmitter).on('end', resolve));
        const [row] = (await tx.query('select pg_backend_pid() as pid')).rows as { pid: number }[];
        await other.query('select pg_terminate_backend($1)', [row?.pid]);
        await broken;
      });
      committed.push(orderId);
    });
    const { orderId } = mock.createOrder();
    await poller.runOnce();
    await poller.runOnce();
    expect(errors).toHaveLength(1);
    expect(committed).toEqual([orderId]);
    expect(uncaught).toEqual([]);
  });
});
