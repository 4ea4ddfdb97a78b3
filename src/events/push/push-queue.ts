import type { OrderEvent } from '../../schemas/event.js';
import type { Cycle } from '../cycle.js';
import type { Generation } from '../dispatcher.js';
import { keyOf } from '../event-key.js';

/** What became of a pushed event. */
export type PushResult =
  | 'done'
  /** Its listeners have failed, or an earlier event of its order was not handled. */
  | 'failed'
  /** The poller has stopped, or has lost the store's lease. */
  | 'ended';

interface Waiting {
  readonly event: OrderEvent;
  readonly generation: Generation;
  readonly settle: {
    readonly resolve: (result: PushResult) => void;
    readonly reject: (error: unknown) => void;
  }[];
}

/** Pushed events that wait for the cycle: all that came meanwhile are handled together. */
export class PushQueue {
  readonly #cycle: Cycle;
  /** By the key of the event: the hub may send one twice. */
  #waiting = new Map<string, Waiting>();

  constructor(cycle: Cycle) {
    this.#cycle = cycle;
  }

  /** @throws {StateError} the marks of the event cannot be read. */
  handle(event: OrderEvent): Promise<PushResult> {
    return new Promise((resolve, reject) => {
      const key = keyOf(event);
      const known = this.#waiting.get(key);
      if (known) {
        known.settle.push({ resolve, reject });
        return;
      }
      this.#waiting.set(key, { event, generation: this.#cycle.generation, settle: [{ resolve, reject }] });
      if (this.#waiting.size === 1) void this.#handleWaiting();
    });
  }

  async #handleWaiting(): Promise<void> {
    let batch: readonly Waiting[] = [];
    try {
      const entries = await this.#cycle.runPushed(() => {
        const all = [...this.#waiting.values()];
        this.#waiting = new Map();
        batch = all.filter(({ generation }) => this.#cycle.isCurrent(generation));
        for (const each of all) if (!batch.includes(each)) settle(each, 'ended');
        return batch.map(({ event }) => event);
      });
      batch.forEach((each, index) => {
        if (entries[index]?.isDone) settle(each, 'done');
        else settle(each, this.#cycle.isCurrent(each.generation) ? 'failed' : 'ended');
      });
    } catch (error) {
      for (const { settle } of batch) for (const { reject } of settle) reject(error);
    }
  }
}

function settle({ settle }: Waiting, result: PushResult): void {
  for (const { resolve } of settle) resolve(result);
}
