import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { Command } from 'commander';
import { ConfigurationError, StateError } from '../errors/index.js';
import type { Inbox, OrderHistory, RedriveRequest } from '../inbox/inbox.js';
import { isInboxMissing } from '../inbox/inbox-error.js';
import { type PostgresInboxPool, postgresInbox } from '../inbox/sql/postgres-inbox.js';
import { DEFAULT_SCHEMA, schemaCheck } from '../inbox/sql/sql-inbox.js';
import { type SqliteDatabase, sqliteInbox } from '../inbox/sql/sqlite-inbox.js';
import { findDriver } from '../state/sqlite/driver.js';
import { formatCount, formatDuration } from './format.js';
import { checked, integerFrom } from './parse-option.js';
import type { Terminal } from './terminal.js';

interface InboxOptions {
  readonly database: string;
  readonly schema?: string;
  readonly json?: boolean;
}

interface StoreOptions extends InboxOptions {
  readonly store?: string;
}

interface RedriveOptions extends StoreOptions {
  readonly eventId?: string;
  readonly all?: boolean;
  readonly yes?: boolean;
}

export function inboxCommand(terminal: Terminal): Command {
  return new Command('inbox')
    .description('Shows what waits in an inbox and what happened to an order, and runs failed events again.')
    .addCommand(
      ofStore(new Command('stats'))
        .description('Counts events and commands that are not finished.')
        .action((options: StoreOptions) => stats(terminal, options)),
    )
    .addCommand(
      ofStore(new Command('dead'))
        .description('Lists events that have failed maxAttempts times, the last one first.')
        .option('--limit <count>', 'at most this many', integerFrom(1, 10_000), 100)
        .action((options: StoreOptions & { limit: number }) => dead(terminal, options)),
    )
    .addCommand(
      ofStore(new Command('redrive'))
        .description('Lets failed and dead events run at once: one event, those of a store, or all.')
        .option('--event-id <id>', 'the event')
        .option('--all', 'all events')
        .option('--yes', 'do not ask before more than one event is changed')
        .action((options: RedriveOptions) => redrive(terminal, options)),
    )
    .addCommand(
      common(new Command('history'))
        .description('Shows the events and commands of an order.')
        .argument('<order id>', 'the order')
        .action((orderId: string, options: InboxOptions) => history(terminal, orderId, options)),
    );
}

const common = (command: Command) =>
  command
    .requiredOption('--database <url or path>', 'postgres://… or the path of a file of SQLite')
    .option('--schema <name>', `the schema of the inbox in Postgres (default: ${DEFAULT_SCHEMA})`, (text) =>
      checked('It', schemaCheck, text),
    )
    .option('--json', 'print one JSON document');

const ofStore = (command: Command) => common(command).option('--store <id>', 'only this store');

async function withInbox(
  terminal: Terminal,
  options: InboxOptions,
  use: (inbox: Inbox) => Promise<void>,
): Promise<void> {
  const opened = openDatabase(options, terminal);
  try {
    await use(opened.inbox);
  } catch (error) {
    if (!(error instanceof StateError)) throw error;
    const { place, remedy } = opened;
    throw new ConfigurationError(
      '--database',
      isInboxMissing(error)
        ? `there is no inbox of this version in ${place} (${(error.cause as Error).message}); ${remedy}`
        : `cannot be read: ${error.message}`,
    );
  } finally {
    await opened.close();
  }
}

/** The inbox in it; and, should there be none, where that was and what to do. */
function openDatabase({ database, schema }: InboxOptions, terminal: Terminal) {
  const opened = /^postgres(?:ql)?:\/\//i.test(database)
    ? openPostgres(database, schema ?? DEFAULT_SCHEMA, terminal)
    : openFile(database, schema);
  opened.inbox.tables.use(terminal.clock);
  return opened;
}

function openPostgres(url: string, schema: string, terminal: Terminal) {
  // The password of the URL must not be shown in an error.
  if (URL.canParse(url)) terminal.redactor.add(new URL(url).password);
  let Pool: new (options: object) => PostgresInboxPool & { end(): Promise<void> };
  try {
    // The application's, in whose folder the command is called.
    ({ Pool } = createRequire(resolve('package.json'))('pg'));
  } catch {
    throw new ConfigurationError(
      '--database',
      'of Postgres needs node-postgres in this folder: npm install pg',
    );
  }
  const pool = new Pool({ connectionString: url, max: 1 });
  return {
    inbox: postgresInbox(pool, { schema }),
    place: `schema "${schema}" of this database`,
    remedy: 'pass --schema <name> with the schema of your inbox, or check the URL',
    close: () => pool.end(),
  };
}

function openFile(path: string, schema: string | undefined) {
  if (schema !== undefined) {
    throw new ConfigurationError(
      '--schema',
      'is for Postgres, and --database is the path of a file; leave it out, or pass --database postgres://…',
    );
  }
  if (!existsSync(path)) throw new ConfigurationError('--database', `${path} does not exist`);
  const driver = findDriver('--database');
  try {
    const database = driver.open(path) as unknown as SqliteDatabase & { close(): unknown };
    // Processes of the application may be writing.
    database.exec('pragma busy_timeout = 5000');
    return {
      inbox: sqliteInbox(database),
      place: `the file ${path}`,
      remedy: 'check its path',
      close: async () => void database.close(),
    };
  } catch (error) {
    const why = (error as Error).message;
    throw new ConfigurationError('--database', `${path} cannot be opened as a file of SQLite: ${why}`);
  }
}

const storeOf = ({ store }: StoreOptions) => (store === undefined ? {} : { storeId: store });

function stats(terminal: Terminal, options: StoreOptions): Promise<void> {
  return withInbox(terminal, options, async (inbox) => {
    const found = await inbox.stats(storeOf(options));
    if (options.json) return terminal.json(found);
    const { oldestMs } = found;
    await writeTable(terminal, [
      ['waiting', found.waiting, 'events that run next: new, or let run again'],
      ['running', found.running, 'events whose listeners run'],
      ['failed', found.failed, 'events that failed and run again'],
      ['dead', found.dead, 'events that wait for redrive'],
      ['commands', found.commands, 'commands that the hub has not answered'],
      ['oldest', oldestMs === 0 ? '–' : formatDuration(oldestMs), 'the age of the oldest open event'],
    ]);
  });
}

function dead(terminal: Terminal, options: StoreOptions & { limit: number }): Promise<void> {
  return withInbox(terminal, options, async (inbox) => {
    const events = await inbox.dead({ ...storeOf(options), limit: options.limit });
    if (options.json) return terminal.json(events);
    if (events.length === 0) return terminal.line('No event is dead.');
    await writeTable(terminal, [
      ['STORE', 'ORDER', 'TYPE', 'EVENT', 'ATTEMPTS', 'FAILED AT', 'ERROR'],
      ...events.map((event) =>
        cellsOf(event, 'storeId', 'orderId', 'eventType', 'eventId', 'attempts', 'failedAt', 'error'),
      ),
    ]);
  });
}

function redrive(terminal: Terminal, options: RedriveOptions): Promise<void> {
  return withInbox(terminal, options, async (inbox) => {
    const request = requestOf(options);
    if (!('eventId' in request) && !options.yes) {
      const { dead: deadCount, failed } = await inbox.stats(storeOf(options));
      const count = deadCount + failed;
      if (count > 1 && !(await terminal.confirm(`Run ${formatCount(count, 'event')} again?`))) {
        return terminal.line('Nothing was changed.');
      }
    }
    const redriven = await inbox.redrive(request);
    if (options.json) return terminal.json({ redriven });
    await terminal.line(`${formatCount(redriven, 'event')} will run again.`);
  });
}

function requestOf({ eventId, store, all }: RedriveOptions): RedriveRequest {
  if (all && eventId === undefined && store === undefined) return { all };
  if (!all && eventId !== undefined) return { eventId, storeId: store };
  if (!all && store !== undefined) return { storeId: store };
  throw new ConfigurationError('redrive', 'needs --event-id <id>, --store <id>, or both; or --all');
}

function history(terminal: Terminal, orderId: string, options: InboxOptions): Promise<void> {
  return withInbox(terminal, options, async (inbox) => {
    const found = await inbox.history({ orderId });
    if (options.json) return terminal.json(found);
    const lines = linesOf(found);
    if (lines.length === 0) return terminal.line('The inbox has no event of this order.');
    await writeTable(terminal, [['AT', 'STORE', 'WHAT', 'STATUS', 'ATTEMPTS', 'ERROR'], ...lines]);
  });
}

/** By time: what was received, and what was sent. */
function linesOf({ events, commands }: OrderHistory): Cell[][] {
  const received = events.map((event) =>
    cellsOf(event, 'receivedAt', 'storeId', 'eventType', 'status', 'attempts', 'error'),
  );
  const sent = commands.map(({ createdAt, answeredAt = createdAt, command, status, outcome, ...rest }) => [
    answeredAt,
    rest.storeId,
    `→ ${command}`,
    outcome === 'unknown' ? `${status}, outcome unknown` : status,
    ...cellsOf(rest, 'attempts', 'error'),
  ]);
  return [...received, ...sent].toSorted(([a = ''], [b = '']) => (a < b ? -1 : a > b ? 1 : 0));
}

type Cell = string | number;

const cellsOf = <Row extends object>(row: Row, ...names: readonly (keyof Row)[]): Cell[] =>
  names.map((name) => (row[name] as Cell | undefined) ?? '');

/** Writes rows as columns with two spaces between them, without wrapping: ids are copied. */
async function writeTable(terminal: Terminal, rows: readonly (readonly Cell[])[]): Promise<void> {
  const lengthOf = (cell: Cell = '') => String(cell).length;
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => lengthOf(row[column]))));
  for (const row of rows) {
    const cells = row.map((cell, column) => String(cell).padEnd(widths[column] as number));
    await terminal.unwrapped(cells.join('  ').trimEnd());
  }
}
