import { EXCHANGES, type HubEvent } from './exchanges.js';
import type { Turns } from './main.js';

export interface LoopInput {
  readonly exchange: keyof typeof EXCHANGES;
  /** The hub's address with label and number of events. */
  readonly hub: string;
  /** Stores that poll at the same time. */
  readonly stores: number;
  /** How often each store polls in a turn. */
  readonly polls: number;
  /** Keep the ids of handled events in a Set, and handle no event twice. */
  readonly remembers?: boolean;
}

const BATCH = 100;

/** poll → listener → acknowledge, as an application writes it without our client. */
export async function loop({ exchange, hub, stores, polls, remembers = false }: LoopInput): Promise<Turns> {
  const client = await EXCHANGES[exchange](hub);
  let handled = 0;
  const listener = (event: HubEvent) => {
    if (event.eventType === 'CREATED') handled += 1;
  };
  const seen = new Set<string>();
  const cycle = async () => {
    const events = await client.poll();
    for (const event of events) {
      if (remembers) {
        if (seen.has(event.eventId)) continue;
        seen.add(event.eventId);
      }
      listener(event);
    }
    const batches: Promise<void>[] = [];
    for (let from = 0; from < events.length; from += BATCH) {
      batches.push(client.acknowledge(events.slice(from, from + BATCH)));
    }
    if (batches.length > 0) await Promise.all(batches);
  };
  return {
    async run() {
      for (let poll = 0; poll < polls; poll += 1) {
        await Promise.all(Array.from({ length: stores }, cycle));
      }
      return handled;
    },
  };
}
