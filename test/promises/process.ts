import type { Clock, State } from 'opendelivery-client';
import type { ManualClock } from 'opendelivery-client/testing';
import type { Inbox } from './hostile-hub.js';

/**
 * What a process has from its machine: time, the network, the state. It can be
 * suspended, and then nothing in it goes on; and it can be killed, and then
 * nobody ever hears of it again. What it has sent by then still arrives.
 */
export class Process implements Inbox {
  readonly name: number;
  readonly clock: Clock;
  readonly state: State;
  answer: Inbox['answer'] = [];
  readonly accepted = new Set<string>();
  killedAt: number | undefined;
  readonly #time: ManualClock;
  #resumed: { readonly promise: Promise<void>; readonly end: () => void } | undefined;

  /** @param stateDelayMs - how long a call of the state is on its way, and its answer again. */
  constructor(name: number, time: ManualClock, state: State, stateDelayMs: () => number) {
    this.name = name;
    this.#time = time;
    this.clock = {
      now: () => time.now(),
      monotonic: () => time.monotonic(),
      sleep: (ms, signal) => time.sleep(ms, signal).then(() => this.turn()),
    };
    this.state = new Proxy(state, {
      get: (target, method: keyof State) => {
        const call = target[method] as (...given: unknown[]) => unknown;
        return (...given: unknown[]) => this.#ask(() => call.apply(target, given), stateDelayMs());
      },
    });
  }

  get isDead(): boolean {
    return this.killedAt !== undefined;
  }

  kill(): void {
    this.killedAt = this.#time.monotonic();
    this.resume();
  }

  suspend(): void {
    if (this.#resumed) return;
    let end = () => {};
    const promise = new Promise<void>((resolve) => {
      end = resolve;
    });
    this.#resumed = { promise, end };
  }

  resume(): void {
    this.#resumed?.end();
    this.#resumed = undefined;
  }

  /** Resolves when the process runs: at once, when it is resumed, or never. */
  async turn(): Promise<void> {
    while (this.#resumed) await this.#resumed.promise;
    if (this.isDead) await new Promise<never>(() => {});
  }

  /** The process's fetch: no answer reaches a process that does not run. */
  network(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
    return async (input, init) => {
      await this.turn();
      try {
        return await fetch(input, init);
      } finally {
        await this.turn();
      }
    };
  }

  #ask(work: () => unknown, delayMs: number): unknown {
    if (this.isDead) return new Promise(() => {});
    if (delayMs === 0) return work();
    return this.#time
      .sleep(delayMs)
      .then(work)
      .finally(async () => {
        await this.#time.sleep(delayMs);
        await this.turn();
      });
  }
}
