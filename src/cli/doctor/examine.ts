import { randomUUID } from 'node:crypto';
import type { HubClient } from '../../client.js';
import { formatCount, formatDuration } from '../format.js';
import { observeIssues, observePoll, observeToken, type Truncate } from './observations.js';
import { type Finding, probe, type Waiting } from './probe.js';
import type { Recorder } from './recorder.js';

export interface Examination extends Waiting {
  readonly hub: HubClient;
  readonly recorder: Recorder;
  /** Finds a client whose token request the hub accepts, after it has refused another one. */
  readonly search: (error: unknown) => Promise<HubClient | undefined>;
  readonly readOnly: boolean;
}

const BEARER_ENDPOINTS = ['polling', 'order', 'acknowledgment', 'orderStatus'] as const;

/** Error statuses that suit an unknown id. */
const UNKNOWN_ID = [404, 400, 422];

/** Tests each endpoint once, in the order in which an application uses them. */
export async function* examine(given: Examination): AsyncGenerator<Finding> {
  const { recorder, terminal } = given;
  const truncate: Truncate = (text, max) => terminal.truncate(text, max);
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
  if (token.result === 'ok') yield* examineOrders({ ...given, hub }, truncate);
  else
    for (const endpoint of BEARER_ENDPOINTS) yield { endpoint, result: 'skipped', says: ['needs a token'] };

  yield await probe(given, 'merchant', async () => {
    const { merchant, issues, expiresAt, fetchedAt } = await hub.merchant.get();
    const name = truncate(merchant.basicInfo?.name ?? 'a store without a name', 80);
    const offers = formatCount(merchant.itemOffers.length, 'offer');
    const items = formatCount(merchant.items.length, 'item');
    const ttl = formatDuration(expiresAt - fetchedAt);
    return [`${name}: ${offers}, ${items}, TTL ${ttl}`, ...observeIssues(issues, truncate)];
  });
}

async function* examineOrders(given: Examination, truncate: Truncate): AsyncGenerator<Finding> {
  const { hub, recorder, readOnly } = given;
  let orderId: string | undefined;
  yield await probe(given, 'polling', async () => {
    const { events, issues } = await hub.events.poll();
    orderId = events[0]?.orderId;
    return [...observePoll(events, recorder, truncate), ...observeIssues(issues, truncate)];
  });
  yield await probe(
    given,
    'order',
    async () => {
      const { issues } = await hub.orders.get(orderId ?? randomUUID());
      return ['returns the order of the first event', ...observeIssues(issues, truncate)];
    },
    orderId === undefined ? UNKNOWN_ID : [],
  );
  if (readOnly) {
    for (const endpoint of ['acknowledgment', 'orderStatus'] as const) {
      yield { endpoint, result: 'skipped', says: ['it writes, and --read-only was given'] };
    }
    return;
  }
  yield await probe(given, 'acknowledgment', async () => {
    const unknown = { eventId: randomUUID(), orderId: randomUUID(), eventType: 'CREATED' };
    const [refusal] = (await hub.events.acknowledge([unknown])).rejected;
    return [
      refusal ? `refuses an unknown event id: ${refusal.error.message}` : 'accepts an unknown event id',
    ];
  });
  yield await probe(
    given,
    'orderStatus',
    async () => {
      await hub.orders.confirm(randomUUID());
      return ['accepts a command for an unknown order'];
    },
    UNKNOWN_ID,
  );
}
