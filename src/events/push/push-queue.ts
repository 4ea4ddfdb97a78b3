import { Limit } from '../../async/limit.js';
import type { OrderEvent } from '../../schemas/event.js';
import type { Cycle } from '../cycle.js';
import type { Entry } from '../entry.js';
import { keyOf } from '../event-key.js';
import { queuesByOrder } from '../order-queues.js';

/** What became of a pushed event. */
export type PushResult =
  | 'done'
  /** Its listeners have failed, or an earlier event of its order was not handled. */
  | 'failed'
  /** The poller has stopped, or has lost the store's lease. */
  | 'ended';

/** Events whose marks are read together. */
interface Batch {
  /** By key: the hub may send an event twice. */
  readonly events: Map<string, OrderEvent>;
  readonly entries: Promise<readonly Entry[]>;
}

/** Handles pushed events: those of one order one after another, several orders in parallel. */
export class PushQueue {
  readonly #cycle: Cycle;
  readonly #places: Limit;
  /** The next one to be read. */
  #batch: Batch | undefined;

  /** @param concurrency - orders handled in parallel. */
  constructor(cycle: Cycle, concurrency: number) {
    this.#cycle = cycle;
    this.#places = new Limit(concurrency);
  }

  /** @throws {StateError} the marks of the event cannot be read. */
  async handle(event: OrderEvent): Promise<PushResult> {
    const cycle = this.#cycle;
    const { generation } = cycle;
    const { orderId } = event;
    const key = keyOf(event);
    let entries: readonly Entry[] = [];
    const attempt = async (): Promise<PushResult | 'busy'> => {
      if (cycle.isBusy(orderId)) return 'busy';
      const all = await this.#read(event, key);
      const [queue = []] = queuesByOrder(all.filter((entry) => entry.event.orderId === orderId));
      const count = queue.findIndex((entry) => entry.key === key) + 1;
      entries = queue.slice(0, count || queue.length);
      // Later events of the order are handled by their own requests, so that this one is answered before.
      cycle.giveBack(queue.slice(entries.length));
      if (!cycle.isCurrent(generation)) return 'ended';
      if (cycle.isBusy(orderId)) return 'busy';
      await cycle.handlePushed(entries, generation);
      if (entries.some((entry) => entry.key === key && entry.isDone)) return 'done';
      return cycle.isCurrent(generation) ? 'failed' : 'ended';
    };
    while (cycle.isCurrent(generation)) {
      const result = await this.#places.run(attempt);
      if (result === 'done' || result === 'failed') return result;
      await cycle.whenFree(orderId);
    }
    cycle.giveBack(entries);
    return 'ended';
  }

  #read(event: OrderEvent, key: string): Promise<readonly Entry[]> {
    this.#batch ??= this.#newBatch();
    this.#batch.events.set(key, event);
    return this.#batch.entries;
  }

  #newBatch(): Batch {
    const events = new Map<string, OrderEvent>();
    const take = () => {
      this.#batch = undefined;
      return [...events.values()];
    };
    // Not at once: others may be pushed at the same moment.
    const entries = Promise.resolve().then(() => this.#cycle.readPushed(take));
    return { events, entries };
  }
}
