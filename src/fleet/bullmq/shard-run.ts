import { Alarm } from '../../async/timer.js';
import type { Clock, Moment } from '../../clock.js';
import { Deadline } from './deadline.js';

/** From the moment at which this process gets a shard, until it loses or returns it. */
export class ShardRun {
  readonly shard: number;
  /** What BullMQ recognizes the lock by. */
  readonly token: string;
  readonly #clock: Clock;
  readonly #deadline: Deadline;
  readonly #alarm: Alarm;
  #isEnded = false;
  #endedAt: number | undefined;
  #isLost = false;

  constructor(shard: number, token: string, clock: Clock, lockMs: number) {
    this.shard = shard;
    this.token = token;
    this.#clock = clock;
    this.#deadline = new Deadline(clock, lockMs);
    this.#alarm = new Alarm(clock);
  }

  /** Whether it neither was ended nor has lost its lock. */
  get isHeld(): boolean {
    return !this.#isEnded && this.#deadline.leftMs > 0;
  }

  get mayPoll(): boolean {
    return !this.#isEnded && this.#deadline.mayPoll;
  }

  renewed(sentAt: Moment): void {
    this.#deadline.renewed(sentAt);
  }

  /** When it was ended, in epoch ms. */
  get endedAt(): number | undefined {
    return this.#endedAt;
  }

  /** This process returns the shard. */
  end(): void {
    this.#isEnded = true;
    this.#endedAt ??= this.#clock.now();
    this.#alarm.wake();
  }

  /** Another process may have the shard. */
  lose(): void {
    this.#isLost = true;
    this.end();
  }

  get isLost(): boolean {
    return this.#isLost || this.#deadline.leftMs <= 0;
  }

  /** Resolves when it was ended, or its lock has ended because no renewal was confirmed. */
  async over(): Promise<void> {
    while (this.isHeld) await this.#alarm.wait(this.#deadline.leftMs);
  }
}
