import { ApiError, InvalidResponseError, NotFoundError, RateLimitError } from '../../errors/index.js';
import { isRejection } from '../../http/failure.js';
import type { ClaimedCommand } from '../../inbox/tables.js';
import { COMMAND_EVENTS, isBefore, isShownBy } from '../../orders/already-there.js';
import type { Orders } from '../../orders/orders.js';
import type { Store } from '../store.js';
import { inTables } from './record.js';
import type { Term } from './settle.js';

/** About two minutes of backoff: what the hub has said then is final. */
export const FINAL_ATTEMPTS = 8;

/** What has not come then will not come. */
export const LAST_ATTEMPTS = 4 * FINAL_ATTEMPTS;

/** One attempt at a time: the row has its own backoff, and a stop waits for no other. */
export const ONCE = { attempts: 1 };

/** As long as nobody has given up waiting. */
export interface Sending extends Term {
  readonly signal: AbortSignal;
}

/** What is known of a command whose answer was lost. */
export type Proof = 'carried out' | 'not carried out' | 'not shown' | 'unreadable';

/** An event of the order may show whether the command was carried out; else the order itself, at the hub. */
export async function proofOf(sending: Sending, orders: Orders, claimed: ClaimedCommand): Promise<Proof> {
  const { engine, store, signal } = sending;
  const { orderId, command } = claimed;
  // Requested and denied: it was carried out. As the order's last event, it may be the answer to an earlier request.
  const isProof = (type: string) =>
    isShownBy(command, { lastEvent: type }) ||
    (command === 'requestCancellation' && type === 'CANCELLATION_REQUEST_DENIED');
  try {
    const stored = await inTables(engine, store, (tables, key) => tables.eventTypesAfter(key, claimed));
    const types = stored && [...stored, ...evidenceOf(store, orderId).types];
    if (types?.some(isProof)) return 'carried out';
    if (!COMMAND_EVENTS.has(command)) return 'not shown';
    const { lastEvent, type } = (await orders.get(orderId, { signal, retry: ONCE })).order;
    if (typeof lastEvent !== 'string' || lastEvent === '') return 'not shown';
    if (isShownBy(command, { lastEvent, type })) return 'carried out';
    return isBefore(command, lastEvent) ? 'not carried out' : 'not shown';
  } catch (error) {
    if (error instanceof NotFoundError) return 'not shown';
    const isSure =
      error instanceof ApiError ? isFinal(store, claimed, error) : error instanceof InvalidResponseError;
    return isSure && claimed.attempts >= FINAL_ATTEMPTS ? 'not shown' : 'unreadable';
  }
}

/**
 * Whether the hub would say the same again. A refused token says nothing about the command, unless it is refused for
 * this command eight times in a row, while polls are accepted: so it also notes each time.
 */
export function isFinal(store: Store, { id, attempts }: ClaimedCommand, error: ApiError): boolean {
  if (error.status !== 401) return isRejection(error.status) && !(error instanceof RateLimitError);
  store.refusedTokens ??= new Map();
  const known = store.refusedTokens.get(id);
  // Any other answer to an attempt between them begins a new row.
  const row = known?.lastAttempt === attempts - 1 ? known : { firstAttempt: attempts, polls: store.polls };
  store.refusedTokens.set(id, { ...row, lastAttempt: attempts });
  return attempts - row.firstAttempt + 1 >= FINAL_ATTEMPTS && store.failures === 0 && store.polls > row.polls;
}

/**
 * Whether a poll was good since the hub first refused the command. Of the polls of earlier processes nothing is known: two
 * that have waited (`unproven`) are enough.
 *
 * @param polledAt - the last good poll when the tables were asked for a proof, in epoch ms.
 */
export function isPolledSince(evidence: Evidence, unproven: number, polledAt: number | undefined): boolean {
  if (evidence.isRefused) return polledAt !== evidence.polledAt;
  return unproven > 1 || (unproven === 1 && polledAt !== undefined);
}

/** What is known of an order since a command of it was sent that has no answer. */
export interface Evidence {
  /** Of the events that came, those to whose types nobody listens: they are not stored. */
  readonly types: string[];
  /** The hub has refused the command, which it may have carried out. */
  isRefused: boolean;
  /** The last good poll before that, in epoch ms; undefined: there was none in this process. */
  polledAt: number | undefined;
}

export function evidenceOf(store: Store, orderId: string): Evidence {
  store.evidence ??= new Map();
  let evidence = store.evidence.get(orderId);
  if (!evidence) {
    evidence = { types: [], isRefused: false, polledAt: undefined };
    store.evidence.set(orderId, evidence);
  }
  return evidence;
}
