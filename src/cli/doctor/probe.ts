import { isHubError } from '../../errors/index.js';
import type { EndpointName } from '../../hub/endpoints.js';
import { describeError } from '../describe-error.js';
import { formatDuration } from '../format.js';
import type { Terminal } from '../terminal.js';

export interface Finding {
  readonly endpoint: EndpointName;
  /** `busy`: not tested, because its rate limit allows no request for longer than the doctor waits. */
  readonly result: 'ok' | 'failed' | 'busy' | 'skipped';
  /** What this hub does where the spec is silent, and what went wrong; masked and truncated. */
  readonly says: readonly string[];
  readonly error?: unknown;
}

export interface Waiting {
  readonly terminal: Terminal;
  /** How long a rate limit is waited for. */
  readonly maxWaitMs: number;
}

const MAX_LINE_LENGTH = 300;

/**
 * Tests one endpoint. If its rate limit allows no request now, waits for at
 * most `maxWaitMs`.
 *
 * @param request - sends the request and returns observations.
 * @param expected - error statuses that count as success.
 */
export async function probe(
  { terminal, maxWaitMs }: Waiting,
  endpoint: EndpointName,
  request: () => Promise<readonly string[]>,
  expected: readonly number[] = [],
): Promise<Finding> {
  const finding = (result: Finding['result'], says: readonly string[], error?: unknown): Finding => ({
    endpoint,
    result,
    says: says.map((text) => terminal.truncate(text, MAX_LINE_LENGTH)),
    ...(error !== undefined && { error }),
  });
  for (let waitedMs = 0; ; ) {
    try {
      return finding('ok', await terminal.withStatus(`testing ${endpoint}`, request));
    } catch (error) {
      if (!isHubError(error)) return finding('failed', [String(error)], error);
      if (error.code === 'configuration') return finding('skipped', [describeError(error)]);
      if ('status' in error && error.code !== 'rate_limit' && expected.includes(error.status)) {
        return finding('ok', [`responds to an unknown id with ${error.status}, as expected`]);
      }
      if (error.code !== 'rate_limit' || error.origin !== 'local') {
        return finding('failed', [describeError(error)], error);
      }
      const wait = formatDuration(error.retryAfterMs);
      waitedMs += error.retryAfterMs;
      if (waitedMs > maxWaitMs) {
        return finding('busy', [`not tested: the rate limit allows the next request in ${wait}`], error);
      }
      terminal.note(`${endpoint}: waiting ${wait} for the rate limit (Spec §8)`);
      await terminal.clock.sleep(error.retryAfterMs);
    }
  }
}
