import type { Clock } from 'opendelivery-client';
import { sleepBy } from '../../src/time/clock.js';
import type { Agenda } from './agenda.js';

/** Wednesday 7 January 2026, midnight. */
export const EPOCH_MS = Date.UTC(2026, 0, 7);

/**
 * One process: a clock, and a thread that does one thing at a time. What it
 * does takes CPU time, so replies and timers wait while it is busy.
 */
export class Machine implements Clock {
  readonly #agenda: Agenda;
  readonly #waiting: (() => void)[] = [];
  #isPumping = false;
  #freeAt = 0;
  isKilled = false;
  /** CPU time so far, in ms. */
  usedMs = 0;
  /** Requests to the hub under way, and the most at a time. */
  inFlight = 0;
  mostInFlight = 0;

  constructor(agenda: Agenda) {
    this.#agenda = agenda;
  }

  /** What the thread does now takes this long. */
  spend(ms: number): void {
    this.#freeAt = this.monotonic() + ms;
    this.usedMs += ms;
  }

  /** `kill -9`: none of its timers and replies comes any more. */
  kill(): void {
    this.isKilled = true;
    this.#waiting.length = 0;
  }

  monotonic(): number {
    return Math.max(this.#agenda.now, this.#freeAt);
  }

  now(): number {
    return Math.floor(EPOCH_MS + this.monotonic());
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return sleepBy((delayMs, onDue) => this.timer(delayMs, onDue), ms, signal);
  }

  timer(ms: number, onDue: () => void): () => void {
    return this.at(this.monotonic() + ms, onDue);
  }

  /** Runs something at that instant, or as soon as the thread is free. @returns a function that cancels it. */
  at(instant: number, run: () => void): () => void {
    let isCancelled = false;
    const cancel = this.#agenda.at(instant, () => {
      if (this.isKilled) return;
      this.#waiting.push(() => {
        if (!isCancelled) run();
      });
      if (!this.#isPumping) this.#pump();
    });
    return () => {
      isCancelled = true;
      cancel();
    };
  }

  /** The next one runs when the promises of the last one have settled and its CPU time is over. */
  #pump(): void {
    this.#isPumping = this.#waiting.length > 0;
    if (!this.#isPumping) return;
    if (this.#freeAt > this.#agenda.now) {
      this.#agenda.at(this.#freeAt, () => this.#pump());
      return;
    }
    this.#waiting.shift()?.();
    this.#agenda.at(this.#agenda.now, () => this.#pump());
  }
}
