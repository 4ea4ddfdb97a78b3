import { isFinalStage } from '../schemas/event-types.js';
import type { Clock } from '../time/clock.js';
import type { OrderState } from './order-lifecycle.js';
import type { CausedViolation } from './violations.js';

type Rule = 'unanswered-order' | 'unanswered-cancellation';

/** What the hub waits for, since when. */
interface Question {
  readonly rule: Rule;
  readonly orderId: string;
  /** In monotonic ms. */
  readonly since: number;
  /** In epoch ms. */
  readonly askedAt: number;
}

const MESSAGES: Readonly<Record<Rule, (orderId: string, time: string) => string>> = {
  'unanswered-order': (orderId, time) =>
    `order ${orderId} got neither confirm nor requestCancellation within ${time}; send one of them`,
  'unanswered-cancellation': (orderId, time) =>
    `the cancellation request for order ${orderId} was not answered within ${time}; send acceptCancellation or denyCancellation`,
};

/**
 * The orders and cancellation requests that a store must answer in time. No
 * timer runs: an answer that is missing is found when somebody asks for the
 * violations, and one that is late when it arrives.
 */
export class Unanswered {
  readonly #clientId: string;
  readonly #clock: Clock;
  readonly #limitsMs: Readonly<Record<Rule, number>>;
  /** By rule and order. */
  readonly #open = new Map<string, Question>();
  readonly #late: CausedViolation[] = [];

  /** @param confirmWithinMs - of the host, if an order has less time. */
  constructor(clientId: string, clock: Clock, limitMs: number, confirmWithinMs = limitMs) {
    this.#clientId = clientId;
    this.#clock = clock;
    this.#limitsMs = {
      'unanswered-order': Math.min(limitMs, confirmWithinMs),
      'unanswered-cancellation': limitMs,
    };
  }

  created(orderId: string): void {
    this.#ask('unanswered-order', orderId);
  }

  changed(orderId: string, { stage, cancellationBy }: OrderState): void {
    if (stage !== 'CREATED' || cancellationBy.has('merchant')) this.#answer('unanswered-order', orderId);
    const mustAnswer = cancellationBy.has('platform') && !isFinalStage(stage);
    if (mustAnswer) this.#ask('unanswered-cancellation', orderId);
    else this.#answer('unanswered-cancellation', orderId);
  }

  /** Nobody can answer any more; what is late already stays late. */
  forget(orderId: string): void {
    this.#answer('unanswered-order', orderId);
    this.#answer('unanswered-cancellation', orderId);
  }

  /** What waits for an answer, in the order in which it was asked. */
  open(): readonly Question[] {
    return [...this.#open.values()];
  }

  /** Since when an order waits for an answer, in monotonic ms: that to a cancellation request, if there is one. */
  since(orderId: string): number | undefined {
    const question =
      this.#open.get(keyOf('unanswered-cancellation', orderId)) ??
      this.#open.get(keyOf('unanswered-order', orderId));
    return question?.since;
  }

  /** Late answers, and answers that are still missing too late. */
  violations(): readonly CausedViolation[] {
    return [...this.#late, ...this.open().flatMap((question) => this.#violation(question) ?? [])];
  }

  /** A question that is asked twice is as old as the first. */
  #ask(rule: Rule, orderId: string): void {
    const key = keyOf(rule, orderId);
    if (this.#open.has(key)) return;
    this.#open.set(key, { rule, orderId, since: this.#clock.monotonic(), askedAt: this.#clock.now() });
  }

  #answer(rule: Rule, orderId: string): void {
    const key = keyOf(rule, orderId);
    const question = this.#open.get(key);
    this.#open.delete(key);
    const violation = question && this.#violation(question);
    if (violation) this.#late.push(violation);
  }

  #violation({ rule, orderId, since, askedAt }: Question): CausedViolation | undefined {
    const limitMs = this.#limitsMs[rule];
    if (this.#clock.monotonic() - since < limitMs) return undefined;
    const time = limitMs < 60_000 ? `${limitMs / 1000} s` : `${limitMs / 60_000} min`;
    const message = MESSAGES[rule](orderId, time);
    const violation = { rule, endpoint: 'orderStatus', at: askedAt + limitMs, message } as const;
    return { violation, clientId: this.#clientId, orderId };
  }
}

const keyOf = (rule: Rule, orderId: string) => `${rule} ${orderId}`;
