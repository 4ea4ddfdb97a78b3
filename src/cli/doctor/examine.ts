import { randomUUID } from 'node:crypto';
import type { HubClient } from '../../client.js';
import { isHubError } from '../../errors/index.js';
import { isMarkup, pageError } from '../../http/body.js';
import { ENDPOINT_NAMES, type EndpointName } from '../../hub/endpoints.js';
import { describeError } from '../describe-error.js';
import { formatCount, formatDuration } from '../format.js';
import type { Terminal } from '../terminal.js';
import type { EndpointResult } from './checks/observed.js';
import { observeIssues, observePoll, observeToken } from './observations.js';
import type { Recorder } from './recorder.js';

export interface EndpointFinding {
  readonly endpoint: EndpointName;
  readonly result: EndpointResult['result'];
  /** What this hub does where the spec is silent, and what went wrong; masked and truncated. */
  readonly says: readonly string[];
  readonly error?: unknown;
}

interface Examination {
  readonly terminal: Terminal;
  /** How long a rate limit is waited for. */
  readonly maxWaitMs: number;
  readonly hub: HubClient;
  readonly recorder: Recorder;
  /** Finds a client whose token request the hub accepts, after it has refused another one. */
  readonly search: (error: unknown) => Promise<HubClient | undefined>;
  readonly readOnly: boolean;
}

/** Error statuses that suit an unknown id. */
const UNKNOWN_ID = [404, 400, 422];

const MAX_LINE_LENGTH = 300;

export const shortLines = (terminal: Terminal, lines: readonly string[]): readonly string[] =>
  lines.map((line) => terminal.truncate(line, MAX_LINE_LENGTH));

/** Tests each endpoint once, in the order in which an application uses them. */
export async function* examine(given: Examination): AsyncGenerator<EndpointFinding> {
  const { recorder, terminal } = given;
  const tokenOf = (hub: HubClient) =>
    probe(given, 'token', async () => {
      const { value, expiresAt } = await hub.auth.getToken();
      terminal.redactor.addTemporary(value);
      const lifetime = formatDuration(expiresAt - terminal.clock.now());
      return [`the token is valid for ${lifetime}`, ...observeToken(recorder)];
    });

  const first = await tokenOf(given.hub);
  const found = first.result === 'failed' ? await given.search(first.error) : undefined;
  const hub = found ?? given.hub;
  const token = found ? await tokenOf(found) : first;
  yield token;
  if (token.result === 'ok') yield* examineOrders({ ...given, hub });
  else {
    for (const endpoint of ENDPOINT_NAMES) {
      if (endpoint !== 'token' && endpoint !== 'merchant') yield skipped(endpoint, 'needs a token');
    }
  }
  yield await probe(given, 'merchant', async () => {
    const { merchant, issues, expiresAt, fetchedAt } = await hub.merchant.get();
    const name = terminal.truncate(merchant.basicInfo?.name ?? 'a store without a name', 80);
    const offers = formatCount(merchant.itemOffers.length, 'offer');
    const items = formatCount(merchant.items.length, 'item');
    const ttl = formatDuration(expiresAt - fetchedAt);
    return [`${name}: ${offers}, ${items}, TTL ${ttl}`, ...observeIssues(issues)];
  });
}

async function* examineOrders(given: Examination): AsyncGenerator<EndpointFinding> {
  const { hub, recorder, readOnly } = given;
  let orderId: string | undefined;
  yield await probe(given, 'polling', async () => {
    const { events, issues } = await hub.events.poll();
    orderId = events[0]?.orderId;
    return [...observePoll(events, recorder), ...observeIssues(issues)];
  });
  const readOrder = async () => {
    const { issues } = await hub.orders.get(orderId ?? randomUUID());
    return ['returns the order of the first event', ...observeIssues(issues)];
  };
  yield await probe(given, 'order', readOrder, orderId === undefined ? UNKNOWN_ID : []);
  if (readOnly) {
    yield skipped('acknowledgment', 'it writes, and --read-only was given');
    yield skipped('orderStatus', 'it writes, and --read-only was given');
    return;
  }
  yield await probe(given, 'acknowledgment', async () => {
    const unknown = { eventId: randomUUID(), orderId: randomUUID(), eventType: 'CREATED' };
    const [refusal] = (await hub.events.acknowledge([unknown])).rejected;
    const { body = '' } = recorder.exchanges.findLast(({ endpoint }) => endpoint === 'acknowledgment') ?? {};
    if (isMarkup(body)) throw refusal?.error ?? pageError('acknowledgment');
    return [
      refusal ? `refuses an unknown event id: ${refusal.error.message}` : 'accepts an unknown event id',
    ];
  });
  const confirm = async () => {
    await hub.orders.confirm(randomUUID());
    return ['accepts a command for an unknown order'];
  };
  yield await probe(given, 'orderStatus', confirm, UNKNOWN_ID);
}

const skipped = (endpoint: EndpointName, why: string): EndpointFinding => ({
  endpoint,
  result: 'skipped',
  says: [why],
});

/**
 * Tests one endpoint. If its rate limit allows no request now, waits for at most `maxWaitMs`.
 *
 * @param request - sends the request and returns observations.
 * @param expected - error statuses that count as success.
 */
async function probe(
  { terminal, maxWaitMs }: Examination,
  endpoint: EndpointName,
  request: () => Promise<readonly string[]>,
  expected: readonly number[] = [],
): Promise<EndpointFinding> {
  const finding = (
    result: EndpointFinding['result'],
    says: readonly string[],
    error?: unknown,
  ): EndpointFinding => ({
    endpoint,
    result,
    says: shortLines(terminal, says),
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
