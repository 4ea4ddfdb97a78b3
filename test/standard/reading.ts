import type { Issue } from 'opendelivery-client';
import { answered, polled } from '../answered.js';

/** What the client makes of a document. */
export interface Read {
  readonly value: unknown;
  readonly issues: readonly Issue[];
}

export async function readAsMerchant(document: unknown): Promise<Read> {
  const { merchant, issues } = await answered(
    (hub) => hub.merchant.get(),
    () => Response.json(document),
  );
  return { value: merchant, issues };
}

export async function readAsOrder(document: unknown): Promise<Read> {
  const { order, issues } = await answered(
    (hub) => hub.orders.get('o'),
    () => Response.json(document),
  );
  return { value: order, issues };
}

export async function readAsEvent(document: unknown): Promise<Read> {
  const { events, issues } = await polled(JSON.stringify([document]));
  return { value: events[0], issues };
}
