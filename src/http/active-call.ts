import { ClosedError, ConnectionError } from '../errors/index.js';
import type { Endpoint } from '../hub/endpoints.js';
import type { Call, Sender } from './call.js';
import type { RetryOptions } from './call-options.js';
import { outcomeOf, READ_FIRST } from './failure.js';

/** A call in progress: the limits that apply to it, and what aborts it. */
export interface ActiveCall<T, By extends Sender = Sender> {
  readonly call: Call<T>;
  readonly sender: By;
  readonly row: Endpoint;
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly timeoutMs: number;
  readonly retry: RetryOptions;
  /** Of the monotonic clock, in ms. */
  readonly startedAt: number;
  /** The number of the present attempt, from 1. */
  attempt: number;
  /** Of the present attempt. Aborts with the call too. */
  controller: AbortController;
  aborted: { readonly reason: unknown } | undefined;
  /** A request was sent, and nothing proves that the hub has not carried it out. */
  isOutcomeUnknown: boolean;
  /** No credential could be obtained. Its own call has retried that; retrying it here would multiply the requests. */
  hasNoCredential: boolean;
}

/** Ends the call. */
export function abortCall(active: ActiveCall<unknown>, reason: unknown): void {
  active.aborted ??= { reason };
  active.controller.abort(reason);
}

/** Ends the present attempt; the call may make another one. */
export function endAttempt(active: ActiveCall<unknown>, reason: unknown): void {
  if (active.aborted) return;
  const ended = active.controller;
  active.controller = new AbortController();
  ended.abort(reason);
}

/** What the caller gets: an aborted command that may have been carried out says so, whatever the reason was. */
export function finalError(
  { aborted, call, isOutcomeUnknown, row }: ActiveCall<unknown>,
  error: unknown,
): unknown {
  const outcome = outcomeOf(row, isOutcomeUnknown);
  if (!aborted || error !== aborted.reason || outcome.outcome === undefined) return error;
  const { endpoint } = call;
  const message = `${endpoint}: aborted after it was sent, so the hub may have carried it out; ${READ_FIRST}`;
  const options = { cause: error, ...outcome };
  if (error instanceof ClosedError) return new ClosedError(message, options);
  return new ConnectionError(endpoint, message, { ...options, mayHaveReachedHub: true });
}
