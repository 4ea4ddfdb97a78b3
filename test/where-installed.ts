import { describe, it } from 'vitest';
import { isProgramMissing } from './program-missing.js';

/**
 * A suite and a test that need the program. Who starts a server has to be given the function here: so no test can forget
 * that the program may be missing.
 */
export function whereInstalled<Start>(program: 'redis-server' | 'postgres', start: Start) {
  const isMissing = isProgramMissing(program);
  const titleOf = (title: string) => (isMissing ? `${title} (skipped: ${program} is not installed)` : title);
  return {
    describeWith: (title: string, define: (start: Start) => void): void =>
      void describe.skipIf(isMissing)(titleOf(title), () => define(start)),
    itWith: (title: string, run: (start: Start) => Promise<void>, timeoutMs?: number): void =>
      it.skipIf(isMissing)(titleOf(title), () => run(start), timeoutMs),
  };
}
