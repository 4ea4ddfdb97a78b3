import { postgresInbox } from 'opendelivery-client/sql';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWithPostgres, type PostgresServer } from '../state/postgres/server.js';
import { stage } from '../support.js';
import { exits } from './support.js';

describeWithPostgres('opendelivery inbox, in Postgres', (start) => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await start();
  });
  afterAll(() => server.close());

  const urlOf = ({ host, user, database }: PostgresServer['address']) =>
    `postgres://${user}@localhost/${database}?host=${encodeURIComponent(host)}`;

  /** An inbox with one dead event. */
  async function withDeadEvent(schema: string | undefined) {
    const { hub, mock, clock } = stage();
    const inbox = postgresInbox(server.pool(), { schema });
    await inbox.migrate();
    const poller = hub.poller({ inbox, maxAttempts: 1 });
    poller.on('CREATED', () => {
      throw new RangeError('always');
    });
    poller.on('error', () => {});
    const { orderId } = mock.createOrder();
    await poller.start();
    await clock.advance('10s');
    await poller.stop();
    return orderId;
  }

  it('says where there is no inbox, and not what only the application can do', async () => {
    await server.pool().query('create database without_inbox');
    const url = urlOf({ ...server.address, database: 'without_inbox' });
    for (const command of ['stats', 'dead', 'redrive --all --yes', 'history 4711']) {
      for (const [option, schema] of [
        ['', 'opendelivery'],
        ['--schema never-made', 'never-made'],
      ]) {
        const failed = await exits(2, `inbox ${command} --database ${url} ${option}`);
        expect(failed.err).toBe(
          `error: --database: there is no inbox of this version in schema "${schema}" of this database (relation "${schema}.inbox" does not exist); pass --schema <name> with the schema of your inbox, or check the URL\n`,
        );
      }
    }
  });

  it('reads and changes an inbox in the schema of --schema, and else in the default one', async () => {
    const database = `--database ${urlOf(server.address)}`;
    const orders = { shop: await withDeadEvent('shop'), usual: await withDeadEvent(undefined) };
    for (const [option, own, other] of [
      ['--schema shop', orders.shop, orders.usual],
      ['', orders.usual, orders.shop],
      ['--schema opendelivery', orders.usual, orders.shop],
    ] as const) {
      const shown = async (command: string) => (await exits(0, `inbox ${command} ${database} ${option}`)).out;
      const dead = await shown('dead');
      expect(dead).toContain(own);
      expect(dead).not.toContain(other);
      expect(await shown(`history ${own}`)).toMatch(/CREATED +dead/);
      expect(await shown(`history ${other}`)).toBe('The inbox has no event of this order.\n');
      expect(await shown('stats')).toMatch(/^dead +1 /m);
    }
    await exits(0, `inbox redrive --all --yes ${database} --schema shop`);
    expect((await exits(0, `inbox stats ${database} --schema shop`)).out).toMatch(/^dead +0 /m);
    expect((await exits(0, `inbox stats ${database}`)).out).toMatch(/^dead +1 /m);
  });
});
