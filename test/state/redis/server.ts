import { describe, it } from 'vitest';
import { isProgramMissing } from '../../program-missing.js';
import { type StartRedis, startRedis } from './start.js';

export type { RedisServer, StartRedis } from './start.js';

/*
 * Who starts a Redis has to be given the function here: so no test can forget
 * that the program may be missing.
 */

const isMissing = isProgramMissing('redis-server');
const titleOf = (title: string) => (isMissing ? `${title} (skipped: redis-server is not installed)` : title);

/** A suite that needs a Redis. */
export function describeWithRedis(title: string, define: (start: StartRedis) => void): void {
  describe.skipIf(isMissing)(titleOf(title), () => define(startRedis));
}

/** A test that needs a Redis. */
export function itWithRedis(
  title: string,
  run: (start: StartRedis) => Promise<void>,
  timeoutMs?: number,
): void {
  it.skipIf(isMissing)(titleOf(title), () => run(startRedis), timeoutMs);
}
