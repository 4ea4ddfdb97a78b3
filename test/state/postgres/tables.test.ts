import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { migrationOf } from '../../../src/state/postgres/postgres-state.js';

const FILE = fileURLToPath(new URL('../../../sql/postgres-state.sql', import.meta.url));

it('makes the tables of the SQL file in the package', () => {
  expect(migrationOf('opendelivery')).toContain(readFileSync(FILE, 'utf8'));
});

it('makes everything in the schema of the option', () => {
  const statement = migrationOf('"shop-1"');
  expect(statement).toContain('create table if not exists "shop-1".state_marks (');
  expect(statement).not.toMatch(/opendelivery\./);
});
