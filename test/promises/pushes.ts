import type { ManualClock, MockHub } from 'opendelivery-client/testing';
import { drawOf } from '../../src/testing/random.js';
import { pushOf } from '../events/push/support.js';
import type { Emission } from './hostile-hub.js';
import type { Member } from './member.js';

/** A hub pushes an event at most this often, until it gets 200. */
const TRIES = 3;

export interface PushesParts {
  readonly seed: number;
  readonly clock: ManualClock;
  readonly mock: MockHub;
  readonly members: () => readonly Member[];
}

/** Pushes events of a schedule beside its polls, each try to another process, as a load balancer does. */
export class Pushes {
  readonly #parts: PushesParts;
  #draws = 0;
  /** Pushes that were answered with 200. */
  handled = 0;

  constructor(parts: PushesParts) {
    this.#parts = parts;
  }

  /** Pushes some of the emitted events. Two events with one id are two events only for a poll, which has both. */
  async emitted(emission: Emission): Promise<void> {
    const { clock, members } = this.#parts;
    if (this.#draw() < 0.4 || emission.id !== emission.eventId) return;
    for (let tried = 0; tried < TRIES; tried += 1) {
      await clock.sleep(Math.floor(this.#draw() ** 2 * 40_000));
      const choice = Math.floor(this.#draw() * members().length);
      const status = await (members()[choice] as Member).receive(emission, this.#requestOf(emission));
      if (status !== 200) continue;
      this.handled += 1;
      return;
    }
  }

  #requestOf({ eventId, eventType, orderId, createdAt, metadata }: Emission): Request {
    const { clientSecret } = this.#parts.mock.credentials;
    const event = { eventId, eventType, orderId, createdAt, ...(metadata && { metadata }) };
    return pushOf(event, { secret: clientSecret as string });
  }

  /** Draws of its own: the rest of a schedule is the same with and without pushes. */
  #draw(): number {
    this.#draws += 1;
    return drawOf('push', this.#parts.seed, this.#draws);
  }
}
