import { describe, it } from 'vitest';
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

/** One test that needs a Postgres. */
export function itWithPostgres(
  title: string,
  run: (start: StartPostgres) => Promise<void>,
  timeoutMs: number,
): void {
  const isMissing = isProgramMissing('postgres');
  it.skipIf(isMissing)(
    isMissing ? `${title} (skipped: postgres is not installed)` : title,
    () => run(startPostgres),
    timeoutMs,
  );
}
