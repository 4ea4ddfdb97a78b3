import { Samples } from './samples.js';

/** What was measured in a part of a simulation. */
export class Figures {
  readonly name: string;
  readonly from: number;
  to = Number.NaN;
  /** How much later than allowed by interval and limits the polls were sent, in ms. */
  readonly late = new Samples();
  /** Between two good polls of a store, in ms. */
  readonly gaps = new Samples();
  polls = 0;
  failed = 0;
  tokens = 0;
  handled = 0;
  acknowledgments = 0;
  /** From the hub's event to the end of its listener, in ms. */
  readonly handledAfter = new Samples();
  readonly pollsPerSecond = new Map<number, number>();
  mostInFlight = 0;
  mostInFlightOfOne = 0;
  redisCommands = 0;
  mostRedisPerSecond = 0;
  /** CPU time that the model has charged, in ms, and of how many processes. */
  usedMs = 0;
  machines = 0;

  constructor(name: string, from: number) {
    this.name = name;
    this.from = from;
  }

  get seconds(): number {
    return (this.to - this.from) / 1000;
  }

  get mostPollsPerSecond(): number {
    return mostOf(this.pollsPerSecond);
  }
}

export const mostOf = (counts: ReadonlyMap<number, number>) =>
  [...counts.values()].reduce((most, count) => Math.max(most, count), 0);
