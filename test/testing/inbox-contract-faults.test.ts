/** @module-tag slow */
import { createRequire } from 'node:module';
import { type SqliteDatabase, sqliteInbox } from 'opendelivery-client/sql';
import { inboxContract } from 'opendelivery-client/testing';
import { expect, it } from 'vitest';

type Value = string | number | null;
type Row = Record<string, unknown>;
type All = (...parameters: Value[]) => Row[];

/** How an adapter is wrong: in its parameters or its rows. */
interface Fault {
  readonly parameter?: (text: string) => string;
  readonly rows?: (all: () => Row[]) => Row[];
}

const IDS = 'ids are stored as the hub sends them: different ids are different events';
const EVENT = 'an event is given to its listener as the hub sent it';
const INSTANTS = 'instants are ISO 8601 texts';
const ROWS = 'it returns all rows: 120 events of one order';
const ERRORS = 'an error of the database rejects';

const toDate = ([name, value]: [string, unknown]) => [
  name,
  name.endsWith('_at') && typeof value === 'string' ? new Date(value) : value,
];

function swallow(all: () => Row[]): Row[] {
  try {
    return all();
  } catch {
    return [];
  }
}

const FAULTS: readonly [what: string, rule: string, Fault][] = [
  ['cuts ids', IDS, { parameter: (text) => (text.startsWith('{') ? text : text.slice(0, 255)) }],
  ['removes blanks', IDS, { parameter: (text) => text.trim() }],
  ['normalises characters', IDS, { parameter: (text) => text.normalize('NFC') }],
  ['stores Latin-1', IDS, { parameter: (text) => Buffer.from(text, 'latin1').toString('latin1') }],
  ['cuts events', EVENT, { parameter: (text) => text.slice(0, 16_384) }],
  [
    'has columns with dates',
    INSTANTS,
    { rows: (all) => all().map((row) => Object.fromEntries(Object.entries(row).map(toDate))) },
  ],
  ['returns a page of rows', ROWS, { rows: (all) => all().slice(0, 100) }],
  ['swallows errors', ERRORS, { rows: swallow }],
];

/** A case of the contract, for an inbox over such an adapter. */
async function play(rule: string, { parameter = String, rows = (all) => all() }: Fault) {
  const change = (value: Value) => (typeof value === 'string' ? parameter(value) : value);
  const open = async () => {
    const Database = createRequire(import.meta.url)('libsql');
    const database = new Database(':memory:');
    const inbox = sqliteInbox({
      prepare(text: string) {
        const statement = database.prepare(text);
        const all: All = (...parameters) => rows(() => statement.all(...parameters.map(change)));
        return { all };
      },
      exec: (text: string) => database.exec(text),
    } as SqliteDatabase);
    await inbox.migrate();
    return { inbox, close: async () => database.close() };
  };
  const found = inboxContract(open).find(({ name }) => name === rule);
  if (!found) throw new Error(`there is no case: ${rule}`);
  await found.run();
}

it.each(FAULTS)('inboxContract finds an adapter that %s', async (_what, rule, fault) => {
  await play(rule, {});
  await expect(play(rule, fault)).rejects.toThrow(rule);
});
