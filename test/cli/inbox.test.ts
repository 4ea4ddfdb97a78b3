import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import Database from 'libsql';
import { sqliteInbox } from 'opendelivery-client/sql';
import { describe, expect, it, onTestFinished } from 'vitest';
import { stage } from '../support.js';
import { temporaryDirectory } from '../temporary.js';
import { exits, opendelivery } from './support.js';

/** A database in which one order is confirmed and two events are dead. */
async function database() {
  const { hub, mock, clock } = stage();
  const path = join(temporaryDirectory(), 'orders.db');
  const opened = new Database(path);
  onTestFinished(() => void opened.close());
  const inbox = sqliteInbox(opened);
  await inbox.migrate();
  const good = mock.createOrder();
  const poller = hub.poller({ inbox, maxAttempts: 1 });
  poller.on('CREATED', async ({ orderId }, { commit }) => {
    if (orderId !== good.orderId) throw new RangeError('a secret of the customer');
    await commit((_tx, outbox) => outbox.confirm(orderId));
  });
  poller.on('error', () => {});
  const bad = [mock.createOrder(), mock.createOrder()];
  await poller.start();
  await clock.advance('10s');
  await poller.stop();
  return { path, clock, good, bad };
}

describe('opendelivery inbox', () => {
  it('stats counts what is not finished', async () => {
    const { path, clock } = await database();
    const shown = await exits(0, `inbox stats --database ${path}`, { clock });
    expect(shown.out).toMatch(/^waiting +0 {2}.*\nrunning +0 {2}.*\nfailed +0 {2}.*\ndead +2 {2}/);
    const json = await exits(0, `inbox stats --json --database ${path}`, { clock });
    expect(JSON.parse(json.out)).toEqual({
      waiting: 0,
      running: 0,
      failed: 0,
      dead: 2,
      commands: 0,
      oldestMs: 0,
    });
  });

  it('dead lists the events, without messages', async () => {
    const { path, bad } = await database();
    const shown = await exits(0, `inbox dead --database ${path}`);
    expect(shown.out.split('\n')[0]).toMatch(/^STORE +ORDER +TYPE +EVENT +ATTEMPTS +FAILED AT +ERROR$/);
    for (const { orderId } of bad) expect(shown.out).toContain(orderId);
    expect(shown.out).toContain('RangeError');
    expect(shown.out).not.toContain('secret');
  });

  it('history shows events and commands by time', async () => {
    const { path, good } = await database();
    const shown = await exits(0, `inbox history ${good.orderId} --database ${path}`);
    expect(shown.out).toMatch(/CREATED +handled +1\n.*→ confirm +sent +1\n/);
    const none = await exits(0, `inbox history unknown --database ${path}`);
    expect(none.out).toBe('The inbox has no event of this order.\n');
  });

  it('redrive of one event changes it, once', async () => {
    const { path, bad } = await database();
    const line = `inbox redrive --event-id ${bad[0]?.event.eventId} --json --database ${path}`;
    for (const redriven of [1, 0]) expect(JSON.parse((await exits(0, line)).out)).toEqual({ redriven });
  });

  it('redrive of all needs --yes if nobody can answer', async () => {
    const { path } = await database();
    const refused = await exits(2, `inbox redrive --all --database ${path}`);
    expect(refused.err).toContain('--yes');
    const agreed = await exits(0, `inbox redrive --all --yes --database ${path}`);
    expect(agreed.out).toBe('2 events will run again.\n');
  });

  it.each([
    ['n\n', 'Nothing was changed.\n'],
    ['y\n', '2 events will run again.\n'],
  ])('redrive of all asks on a terminal, and %j is an answer', async (answer, printed) => {
    const { path } = await database();
    const input = Object.assign(new PassThrough(), { isTTY: true });
    const asked = opendelivery(`inbox redrive --all --database ${path}`, { input });
    input.end(answer);
    expect(await asked.code).toBe(0);
    expect(asked.err).toContain('Run 2 events again? [y/N]');
    expect(asked.out).toBe(printed);
  });

  it('ends without an error if the pipe is closed', async () => {
    const { path, good } = await database();
    for (const command of ['stats', 'dead --json', `history ${good.orderId}`, 'redrive --all --yes']) {
      const closed = await exits(0, `inbox ${command} --database ${path}`, { failAfter: 0 });
      expect(closed.err).toBe('');
    }
  });

  it('says that a directory is not a file of SQLite', async () => {
    const directory = temporaryDirectory();
    const failed = await exits(2, `inbox stats --database ${directory}`);
    expect(failed.err).toMatch(`error: --database: ${directory} cannot be opened as a file of SQLite: `);
  });

  it.each(['stats', 'dead', 'redrive --all --yes', 'history 4711'])(
    '%s says that a file has no inbox, and not what only the application can do',
    async (command) => {
      const path = join(temporaryDirectory(), 'other.db');
      const opened = new Database(path);
      opened.exec('create table tickets (order_id text)');
      opened.close();
      const failed = await exits(2, `inbox ${command} --database ${path}`);
      expect(failed.err.replace('outbox', 'inbox')).toBe(
        `error: --database: there is no inbox of this version in the file ${path} (no such table: opendelivery_inbox); check its path\n`,
      );
    },
  );

  it.each(['stats', 'dead', 'redrive --all --yes', 'history 4711'])(
    '%s refuses a schema for a file of SQLite, before it looks for the file',
    async (command) => {
      const failed = await exits(2, `inbox ${command} --database nowhere.db --schema opendelivery`);
      expect(failed.err).toBe(
        'error: --schema: is for Postgres, and --database is the path of a file; leave it out, or pass --database postgres://…\n',
      );
    },
  );

  it.each(['', 'a.b', 'a"b', 'a'.repeat(64)])('refuses %j as the name of a schema', async (name) => {
    const failed = await exits(2, `inbox stats --database postgres://nowhere --schema=${name}`);
    expect(failed.err).toContain("'--schema <name>'");
    expect(failed.err).toContain(
      "It must be the name of a schema such as 'opendelivery': at most 63 letters, digits, _ and -.",
    );
  });

  it.each([
    ['inbox stats --database nowhere.db', 'nowhere.db does not exist'],
    ['inbox redrive --database nowhere.db --all --yes', 'nowhere.db does not exist'],
  ])('%s says what is wrong', async (commandLine, message) => {
    const failed = await exits(2, commandLine);
    expect(failed.err).toContain(message);
  });

  it('redrive needs to know what', async () => {
    const { path } = await database();
    const failed = await exits(2, `inbox redrive --database ${path}`);
    expect(failed.err).toContain('needs --event-id <id>, --store <id>, or both; or --all');
    const both = await exits(2, `inbox redrive --all --store loja --yes --database ${path}`);
    expect(both.err).toContain('needs --event-id <id>, --store <id>, or both; or --all');
  });

  it('redrive of one event can be about one store, and history says which store it was', async () => {
    const { path, bad } = await database();
    const [one, other] = bad;
    const opened = new Database(path);
    onTestFinished(() => void opened.close());
    opened
      .prepare('update opendelivery_inbox set event_id = ?, order_id = ?, store_id = ? where event_id = ?')
      .run(one?.event.eventId as string, one?.orderId as string, 'other', other?.event.eventId as string);
    const history = await exits(0, `inbox history ${one?.orderId} --database ${path}`);
    expect(history.out).toMatch(/^AT +STORE +WHAT/);
    expect(history.out).toMatch(/Z +other +CREATED +dead/);
    const redriven = `inbox redrive --event-id ${one?.event.eventId} --store other --json --database ${path}`;
    expect(JSON.parse((await exits(0, redriven)).out)).toEqual({ redriven: 1 });
  });
});
