import type { Issue } from '../../src/errors.js';
import { readPoll } from '../../src/events/read.js';
import type { HubResponse } from '../../src/http/response.js';
import { readMerchant } from '../../src/merchant/read.js';
import { readLeniently } from '../../src/orders/read.js';

/** What the client makes of a document. */
export interface Read {
  readonly value: unknown;
  readonly issues: readonly Issue[];
}

const response = (body: unknown): HubResponse => ({
  status: 200,
  header: () => undefined,
  body: Buffer.from(JSON.stringify(body)),
  cut: false,
  startedAt: 0,
  startedMonotonic: 0,
});

export function readAsMerchant(document: unknown): Read {
  const { merchant, issues } = readMerchant(structuredClone(document), 'lenient');
  return { value: merchant, issues };
}

export function readAsOrder(document: unknown): Read {
  const { order, issues } = readLeniently(response(document));
  return { value: order, issues };
}

export function readAsEvent(document: unknown): Read {
  const { events, issues } = readPoll(response([document]));
  return { value: events[0], issues };
}
