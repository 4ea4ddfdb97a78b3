import type { Clock, State } from 'opendelivery-client';
import type { ManualClock } from 'opendelivery-client/testing';
import type { Emission, Inbox } from './hostile-hub.js';

/**
 * The time, network and state of one simulated process. While it is suspended,
 * nothing in it goes on. After it is killed, it never does anything again; what
 * it has sent before still arrives.
 */
export class Process implements Inbox {
  readonly name: number;
  readonly clock: Clock;
  readonly state: State;
  response: Inbox['response'] = [];
  readonly accepted = new Set<string>();
  /** What was pushed to it and not answered yet. */
  readonly pushed = new Set<Emission>();
  killedAt: number | undefined;
  readonly #time: ManualClock;
  #resumed: { readonly promise: Promise<void>; readonly end: () => void } | undefined;

  /** @param stateDelayMs - how long a call to the state takes, and again its reply. */
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
        return (...given: unknown[]) => this.#callState(() => call.apply(target, given), stateDelayMs());
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

  /** Resolves when the process runs: at once, after `resume`, or never. */
  async turn(): Promise<void> {
    while (this.#resumed) await this.#resumed.promise;
    if (this.isDead) await new Promise<never>(() => {});
  }

  /** The process's fetch: no response reaches a process that does not run. */
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

  #callState(work: () => unknown, delayMs: number): unknown {
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
