import { describe } from 'vitest';
import { isProgramMissing } from '../../program-missing.js';
import { type StartPostgres, startPostgres } from './start.js';

export type { PostgresServer, StartPostgres } from './start.js';

/** A suite that needs a Postgres. It gets the function that starts one, so no test can forget that the program may be missing. */
export function describeWithPostgres(title: string, define: (start: StartPostgres) => void): void {
  const isMissing = isProgramMissing('postgres');
  describe.skipIf(isMissing)(isMissing ? `${title} (skipped: postgres is not installed)` : title, () =>
    define(startPostgres),
  );
}
