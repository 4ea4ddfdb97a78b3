import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { PGlite } from '@electric-sql/pglite';
import { systemClock } from 'opendelivery-client';
import { postgresState } from 'opendelivery-client/sql';
import { expect, it, onTestFinished } from 'vitest';
import { migrationOf, POSTGRES_STATE_SQL } from '../../../src/state/postgres/tables.js';

const FILE = fileURLToPath(new URL('../../../sql/postgres-state.sql', import.meta.url));

it('makes the tables of the SQL file in the package', () => {
  expect(readFileSync(FILE, 'utf8')).toBe(POSTGRES_STATE_SQL);
});

it('has the version that migrate() makes, also if the file has made the tables', async () => {
  const database = new PGlite();
  onTestFinished(() => database.close());
  for (let time = 0; time < 2; time += 1) await database.exec(readFileSync(FILE, 'utf8'));
  const state = postgresState(database);
  await state.set('v', 'value', { forMs: 1000 }, systemClock);
  await state.migrate();
  expect(await state.get('v', systemClock)).toBe('value');
});

it('makes everything in the schema of the option', () => {
  const statement = migrationOf('"shop-1"');
  expect(statement).toContain('create table if not exists "shop-1".state_marks (');
  expect(statement).not.toMatch(/opendelivery\./);
});
