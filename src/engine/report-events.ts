import type { Issue } from '../errors/index.js';
import { isKnownEventType } from '../schemas/event-types.js';
import { type Engine, emit, reportError } from './engine.js';
import type { Plan } from './receive.js';
import type { CompletedCycle, ErrorContext } from './reports.js';
import type { OpenEvent, Store } from './store.js';

/** An id in a report is compared, so it is not cut. */
export const shownId = ({ account }: Store, id: string): string =>
  account.quote(id, Number.POSITIVE_INFINITY);

/** Which event an error is about. */
export function aboutEvent(
  { account }: Store,
  { event: { eventId, orderId } }: OpenEvent,
  attempt?: number,
): ErrorContext {
  const about = { eventId: account.quote(eventId), orderId: account.quote(orderId) };
  return attempt === undefined ? about : { ...about, attempt };
}

/** The message of a state ends with what to do. */
const MAX_CAUSE = 500;

/** Why the state has failed, for a message. */
export const causeOf = ({ account }: Store, cause: unknown): string =>
  cause instanceof Error ? account.quote(`${cause.name}: ${cause.message}`, MAX_CAUSE) : 'no reason given';

/** A listener has failed. */
export function reportFailed(
  engine: Engine,
  store: Store,
  open: OpenEvent,
  error: unknown,
  attempt: number,
): void {
  const { event } = open;
  emit(engine, store, 'listenerFailed', { event, error, attempt });
  const next = engine.inbox
    ? 'the event stays in the inbox and runs again'
    : 'the event stays at the hub, which sends it again';
  const message = `a listener of ${store.account.quote(event.eventType)} failed; ${next}`;
  reportError(engine, store, error, message, aboutEvent(store, open, attempt));
}

/** Nobody can handle the event: its listeners were removed. */
export function noListenerLeft({ account }: Store, { event }: OpenEvent, where: string): Error {
  const remedy = 'until there is one, if only one that does nothing';
  return new Error(
    `no listener is left for ${account.quote(event.eventType)}; the event stays ${where} ${remedy}`,
  );
}

/** The event used up `maxAttempts`, and there is no dead-letter listener. Reported once, not at every poll. */
export function reportExhausted(engine: Engine, store: Store, open: OpenEvent): void {
  if (open.reportedAs === 'exhausted') return;
  open.reportedAs = 'exhausted';
  const about = aboutEvent(store, open, open.attempts);
  const type = store.account.quote(open.event.eventType);
  const message = `${type} ${about.eventId} has failed ${engine.options.maxAttempts} times and stays at the hub; add a 'deadLetter' listener to handle it`;
  reportError(engine, store, new Error(message), undefined, about);
}

/** The event's type has no listener. One that is acknowledged is reported once, also if the hub sends it again. */
export function reportUnhandled(engine: Engine, store: Store, open: OpenEvent, acknowledged: boolean): void {
  const { event } = open;
  store.unhandled += 1;
  if (open.reportedAs === 'unhandled') return;
  if (acknowledged) open.reportedAs = 'unhandled';
  if (engine.options.unhandled === 'acknowledge') warnOnce(engine, store, event.eventType, acknowledged);
  emit(engine, store, 'unhandled', { event, acknowledged });
}

/** Nobody has to know the types that a hub adds; a type of Spec §6.1 or of the profile without a listener is probably a mistake. */
function warnOnce({ services }: Engine, { account }: Store, type: string, acknowledged: boolean): void {
  if (!isKnownEventType(type) && !services.options.profile.eventTypes.includes(type)) return;
  const remedy = `add one with poller.on('${type}', …)`;
  const message = acknowledged
    ? `${type} has no listener and is acknowledged unhandled; ${remedy}, or set unhandled: 'leave'`
    : `${type} has no listener and stays at the hub, because it wants an answer; ${remedy}`;
  services.warnOnce(account, type, message);
}

/** The host wants every poll to name its shops, and this store has none. Once for all stores. */
export function warnOfMerchants({ services }: Engine, { account }: Store): void {
  const message = 'the host wants the shops of every poll; set the option `merchants` of the poller or store';
  services.warnOnce(account, 'merchants', message);
}

/** What one poll has brought, and how the response deviates from Spec §2.11. */
export interface Received {
  readonly plan: Plan;
  readonly issues: readonly Issue[];
}

/** The report of `runOnce`. */
export function cycleReportOf(store: Store, { plan, issues }: Received): CompletedCycle {
  const unconfirmed = plan.received.filter(({ event }) => store.open?.has(event.eventId));
  return {
    received: plan.received.length,
    handled: store.handled,
    redelivered: plan.redelivered,
    unhandled: store.unhandled,
    acknowledged: store.acknowledged,
    unacknowledged: unconfirmed.map(({ event }) => shownId(store, event.eventId)),
    failures: unconfirmed
      .filter(({ failedAt = -1 }) => failedAt >= (store.startedAt ?? 0))
      .map(({ event, error }) => ({ eventId: shownId(store, event.eventId), error })),
    issues,
  };
}
