import { whereInstalled } from '../../where-installed.js';
import { startPostgres } from './start.js';

export type { PostgresServer, StartPostgres } from './start.js';

/** A suite, and a test, that needs a Postgres. */
export const { describeWith: describeWithPostgres, itWith: itWithPostgres } = whereInstalled(
  'postgres',
  startPostgres,
);
