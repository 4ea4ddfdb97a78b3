import { memoryState, type State } from 'opendelivery-client';
import type { Agenda } from './agenda.js';
import { EPOCH_MS, type Machine } from './machine.js';
import { type Latency, latencyOf } from './random.js';

export interface RedisOptions {
  readonly agenda: Agenda;
  readonly random: () => number;
  /** There and back. */
  readonly latency: Latency;
  /** Time of Redis' one thread for a command, in ms. */
  readonly serviceMs: number;
  /** CPU time of a process for a command, in ms. */
  readonly clientMs: number;
  /** Each simulated process stands for this many. */
  readonly scale: number;
}

/** The most ids in one script, as in `src/state/redis/replies.ts`. */
const MAX_IDS_PER_SCRIPT = 1000;

/**
 * A Redis that many processes share. Each call of the state is one EVALSHA, as
 * in `src/state/redis`; `recall` and `mark` are one for each thousand ids. Redis runs one command at a time.
 *
 * While it is away, commands wait, as in the queue of ioredis, and run when it
 * is back, though nobody may wait for them any more.
 */
export class RedisModel {
  readonly #options: RedisOptions;
  readonly #state = memoryState();
  readonly #clock;
  readonly #queued: (() => void)[] = [];
  #freeAt = 0;
  #isAway = false;
  /** Commands by method. */
  readonly counts = new Map<string, number>();
  /** Commands of each second. */
  readonly perSecond = new Map<number, number>();

  constructor(options: RedisOptions) {
    this.#options = options;
    const { agenda } = options;
    this.#clock = {
      now: () => Math.floor(EPOCH_MS + agenda.now),
      monotonic: () => agenda.now,
      sleep: () => Promise.reject(new Error('a state does not sleep')),
    };
  }

  goAway(): void {
    this.#isAway = true;
  }

  comeBack(): void {
    this.#isAway = false;
    for (const run of this.#queued.splice(0)) run();
  }

  /** The state of one process. */
  stateOf(machine: Machine): State {
    const state = this.#state;
    const clock = this.#clock;
    const call = <T>(name: keyof State, work: () => T | Promise<T>, ids = 1) =>
      this.#call<T>(machine, name, work as () => T, Math.ceil(ids / MAX_IDS_PER_SCRIPT));
    return {
      get: (key) => call('get', () => state.get(key, clock)),
      set: (key, value, options) => call('set', () => state.set(key, value, options, clock)),
      reserve: (key, request) => call('reserve', () => state.reserve(key, request, clock)),
      settle: (key, change) => call('settle', () => state.settle(key, change, clock)),
      lease: (key, request) => call('lease', () => state.lease(key, request, clock)),
      recall: (key, ids, request) => call('recall', () => state.recall(key, ids, request, clock), ids.length),
      mark: (key, ids, change) => call('mark', () => state.mark(key, ids, change, clock), ids.length),
    };
  }

  #call<T>(machine: Machine, name: string, work: () => T, commands: number): Promise<T> {
    const { agenda, latency, random, serviceMs, clientMs, scale } = this.#options;
    return new Promise((resolve) => {
      const send = (sentAt: number) => {
        const halfMs = latencyOf(latency, random) / 2;
        this.#freeAt = Math.max(this.#freeAt, sentAt + halfMs) + serviceMs * commands * scale;
        agenda.at(this.#freeAt, () => {
          this.#count(name, commands);
          const result = work();
          machine.at(agenda.now + halfMs, () => {
            machine.spend(clientMs);
            resolve(result);
          });
        });
      };
      if (this.#isAway) this.#queued.push(() => send(agenda.now));
      else send(machine.monotonic());
    });
  }

  #count(name: string, commands: number): void {
    const second = Math.floor(this.#options.agenda.now / 1000);
    this.counts.set(name, (this.counts.get(name) ?? 0) + commands);
    this.perSecond.set(second, (this.perSecond.get(second) ?? 0) + commands);
  }
}
