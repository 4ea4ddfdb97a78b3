import { randomUUID } from 'node:crypto';
import type { HubClient } from '../client.js';
import type { EndpointName } from '../endpoints.js';
import { isHubError } from '../errors.js';
import { MAX_WAIT_MS } from './connect.js';
import { explained } from './explain.js';
import type { Recorder } from './recorder.js';
import { issueRemarks, pollRemarks, tokenRemarks } from './remarks.js';
import { lasting } from './spoken.js';
import type { Terminal } from './terminal.js';

/** What came of one endpoint. */
export interface Finding {
  readonly endpoint: EndpointName;
  /** `busy`: not asked, because a limit leaves no slot for longer than the doctor waits. */
  readonly result: 'ok' | 'failed' | 'busy' | 'skipped';
  /** What this hub does where the spec is silent, and what went wrong; masked, and bounded in length. */
  readonly says: readonly string[];
  readonly error?: unknown;
}

const MAX_LINE = 300;

export interface Examination {
  readonly hub: HubClient;
  readonly recorder: Recorder;
  readonly terminal: Terminal;
  readonly readOnly: boolean;
}

/** Tries each endpoint once, in the order in which an application uses them. */
export async function* examine({ hub, recorder, terminal, readOnly }: Examination): AsyncGenerator<Finding> {
  const { clock } = terminal;
  const quote = (text: string, max: number) => terminal.quote(text, max);
  const probe: Probe = async (endpoint, run, expected = []) => {
    const finding = await withSlot(terminal, endpoint, run, expected);
    return { ...finding, says: finding.says.map((text) => quote(text, MAX_LINE)) };
  };

  const token = await probe('token', async () => {
    const { value, expiresAt } = await hub.auth.getToken();
    terminal.redactor.addTemporary(value);
    return [`the token lasts ${lasting(expiresAt - clock.now())}`, ...tokenRemarks(recorder)];
  });
  yield token;
  if (token.result === 'ok') yield* examineOrders(hub, recorder, probe, quote, readOnly);
  else for (const endpoint of BEARER) yield { endpoint, result: 'skipped', says: ['needs a token'] };

  yield await probe('merchant', async () => {
    const { merchant, issues, expiresAt, fetchedAt } = await hub.merchant.get();
    const name = quote(merchant.basicInfo?.name ?? 'a store without a name', 80);
    return [
      `${name}: ${merchant.itemOffers.length} offers, ${merchant.items.length} items, good for ${lasting(expiresAt - fetchedAt)}`,
      ...issueRemarks(issues, quote),
    ];
  });
}

const BEARER = ['polling', 'order', 'acknowledgment', 'orderStatus'] as const;

type Probe = (
  endpoint: EndpointName,
  run: () => Promise<readonly string[]>,
  expected?: readonly number[],
) => Promise<Finding>;

async function* examineOrders(
  hub: HubClient,
  recorder: Recorder,
  probe: Probe,
  quote: (text: string, max: number) => string,
  readOnly: boolean,
): AsyncGenerator<Finding> {
  let orderId: string | undefined;
  yield await probe('polling', async () => {
    const { events, issues } = await hub.events.poll();
    orderId = events[0]?.orderId;
    return [...pollRemarks(events, recorder, quote), ...issueRemarks(issues, quote)];
  });
  yield await probe(
    'order',
    async () => {
      const { issues } = await hub.orders.get(orderId ?? randomUUID());
      return ['reads the order of the first event', ...issueRemarks(issues, quote)];
    },
    orderId === undefined ? UNKNOWN_ID : [],
  );
  if (readOnly) {
    for (const endpoint of ['acknowledgment', 'orderStatus'] as const) {
      yield { endpoint, result: 'skipped', says: ['--read-only'] };
    }
    return;
  }
  yield await probe('acknowledgment', async () => {
    const unknown = { eventId: randomUUID(), orderId: randomUUID(), eventType: 'CREATED' };
    const [refusal] = (await hub.events.acknowledge([unknown])).rejected;
    return [
      refusal ? `refuses an id it cannot know: ${refusal.error.message}` : 'takes an id it cannot know',
    ];
  });
  yield await probe(
    'orderStatus',
    async () => {
      await hub.orders.confirm(randomUUID());
      return ['takes a command for an order it cannot know'];
    },
    UNKNOWN_ID,
  );
}

/** Statuses that suit an id made up on the spot. */
const UNKNOWN_ID = [404, 400, 422];

/** Runs a probe; when its endpoint has no free slot, waits for one as long as that is worth it. */
async function withSlot(
  terminal: Terminal,
  endpoint: EndpointName,
  run: () => Promise<readonly string[]>,
  expected: readonly number[],
): Promise<Finding> {
  for (let waitedMs = 0; ; ) {
    try {
      return { endpoint, result: 'ok', says: await terminal.during(`asking ${endpoint}`, run) };
    } catch (error) {
      if (!isHubError(error)) return { endpoint, result: 'failed', says: [String(error)], error };
      if (error.code === 'configuration') return { endpoint, result: 'skipped', says: [explained(error)] };
      if ('status' in error && error.code !== 'rate_limit' && expected.includes(error.status)) {
        return {
          endpoint,
          result: 'ok',
          says: [`answers ${error.status} to an id it cannot know, as it should`],
        };
      }
      if (error.code !== 'rate_limit' || error.origin !== 'local')
        return { endpoint, result: 'failed', says: [explained(error)], error };
      const { retryAfterMs } = error;
      waitedMs += retryAfterMs;
      if (waitedMs > MAX_WAIT_MS) {
        const says = [`not asked: the next slot becomes free in ${lasting(retryAfterMs)}; try again then`];
        return { endpoint, result: 'busy', says, error };
      }
      terminal.remark(`${endpoint}: waiting ${lasting(retryAfterMs)} for a free slot (Spec §8)`);
      await terminal.clock.sleep(retryAfterMs);
    }
  }
}
