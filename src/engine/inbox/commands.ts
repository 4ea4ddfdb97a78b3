import { ApiError, ConnectionError, isHubError, RateLimitError, ServerError } from '../../errors/index.js';
import type { ClaimedCommand, CommandChange } from '../../inbox/tables.js';
import { COMMAND_EVENTS, unsettled } from '../../orders/already-there.js';
import type { Orders } from '../../orders/orders.js';
import { emit, reportError } from '../engine.js';
import { releaseWhenIdle } from '../lease.js';
import { shownId } from '../report-events.js';
import { noteEnd } from '../store.js';
import {
  evidenceOf,
  FINAL_ATTEMPTS,
  isFinal,
  isPolledSince,
  LAST_ATTEMPTS,
  ONCE,
  proofOf,
  type Sending,
} from './proof.js';
import { inTables, storedNameOf } from './record.js';
import type { Term } from './settle.js';

/** Until a command that the hub did not answer is tried again; doubled each time. A restaurant waits for it. */
const FIRST_BACKOFF_MS = 1000;
const MAX_BACKOFF_MS = 60_000;

/** Beyond the interval: a poll has come meanwhile, with the event that proves a command. */
const POLL_MARGIN_MS = 5000;

/**
 * Sends the commands that are due, those of an order one after another, `concurrency` orders at a time. It never
 * rejects. One call for a store does it; others only tell it that there is more.
 */
export async function sendCommands(term: Term): Promise<void> {
  const { engine, store, work, isCurrent } = term;
  if (work.sender) return;
  const sender = new AbortController();
  work.sender = sender;
  const sending: Sending = { ...term, signal: sender.signal };
  const running = new Set<Promise<void>>();
  try {
    while (isCurrent() && (work.hasCommands || running.size > 0)) {
      // When half of the places are free: one statement claims for several of them.
      const mayClaim = work.hasCommands && running.size <= engine.options.concurrency / 2;
      const commands = mayClaim ? await claimCommands(sending) : [];
      for (const command of commands) {
        const sent = sendOne(sending, command).finally(() => {
          running.delete(sent);
        });
        running.add(sent);
      }
      if (commands.length === 0 && running.size > 0) await Promise.race(running);
    }
  } catch (error) {
    reportError(engine, store, error);
  } finally {
    await Promise.all(running);
    work.sender = undefined;
    noteEnd(store);
    releaseWhenIdle(engine, store);
  }
}

async function claimCommands({ engine, store, settler, work }: Sending): Promise<readonly ClaimedCommand[]> {
  const limit = engine.options.concurrency - work.sending.size;
  work.hasCommands = false;
  const request = { owner: settler.owner, held: [...work.sending], limit };
  const commands = await inTables(engine, store, (tables, key, now) =>
    tables.claimCommands(key, { ...request, now }),
  );
  for (const { orderId } of commands) work.sending.add(orderId);
  return commands;
}

async function sendOne(sending: Sending, command: ClaimedCommand): Promise<void> {
  const { engine, store, settler, work } = sending;
  const change = await outcomeOf(sending, command);
  const write = async () => {
    await inTables(engine, store, (tables, key, now) =>
      tables.answered(key, command.id, settler.owner, change, now),
    );
    work.sending.delete(command.orderId);
    // The next one of its order may follow.
    work.hasCommands = true;
  };
  try {
    await write();
  } catch (error) {
    // What the hub has answered is written later. If this process ends before, the next one asks the hub.
    work.unwritten.add(write);
    reportError(engine, store, error);
  }
}

async function outcomeOf(sending: Sending, command: ClaimedCommand): Promise<CommandChange> {
  const { engine, store, isCurrent, signal } = sending;
  const { clock } = engine.services;
  const { orders } = engine.hubOf(store);
  const { attempts, isUnknown, orderId } = command;
  let { unproven } = command;
  const backoffMs = Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** Math.min(attempts - 1, 20));
  const later = (waitMs: number, error?: unknown): CommandChange => ({
    status: 'waiting',
    isUnknown,
    unproven,
    dueAt: clock.now() + waitMs,
    error: error === undefined ? undefined : storedNameOf(error),
  });
  const sent = (): CommandChange => {
    store.refusedTokens?.delete(command.id);
    store.evidence?.delete(orderId);
    return { ...later(0), status: 'sent', isUnknown: false };
  };
  // Its event may come before its response, which is then lost, or to the process after the one that has sent it.
  const evidence = evidenceOf(store, orderId);
  const polledAt = store.lastPolledAt;
  const proof = isUnknown ? await proofOf(sending, orders, command) : undefined;
  if (proof === 'carried out') return sent();
  if (proof === 'unreadable') return later(backoffMs);
  if (proof === 'not shown') {
    unproven += 1;
    // The next poll may bring the event that proves it.
    if (unproven === 1) return later(engine.options.intervalMs + POLL_MARGIN_MS);
    if (unproven > 2 || !isRefusedAgain(command.command)) {
      const message = `the hub did not answer ${command.command}, and nothing shows whether it has carried it out`;
      const options = { outcome: 'unknown', mayHaveReachedHub: true } as const;
      return refused(sending, command, new ConnectionError('orderStatus', message, options), unproven);
    }
  }
  // Another process may send it now.
  if (!isCurrent()) {
    store.evidence?.delete(orderId);
    return { ...later(0), unproven: command.unproven };
  }
  try {
    await send(orders, command, signal);
    return sent();
  } catch (error) {
    if (isHubError(error) && error.outcome === 'unknown') {
      // The hub failed, and may not have looked at it: for half an hour, this was not the one resend.
      if (error instanceof ServerError && attempts < LAST_ATTEMPTS) unproven = command.unproven;
      return { ...later(backoffMs, error), isUnknown: true };
    }
    // The hub refuses what it has carried out before.
    const isRefusal =
      error instanceof ApiError && error.endpoint === 'orderStatus' && isFinal(store, command, error);
    const isRefusedByState = isRefusal && error.status === 422;
    if (isRefusedByState && proof === 'not shown') return sent();
    // What the order shows may be old: a poll from now on may bring the event that proves it.
    const mayBeOld = isRefusedByState && proof === 'not carried out' && attempts < LAST_ATTEMPTS;
    if (mayBeOld && !isPolledSince(evidence, unproven, polledAt)) {
      if (!evidence.isRefused) {
        unproven += 1;
        Object.assign(evidence, { isRefused: true, polledAt });
      }
      return later(engine.options.intervalMs + POLL_MARGIN_MS, error);
    }
    const isUnsettled = isRefusedByState && unsettled.has(error) && attempts < FINAL_ATTEMPTS;
    if ((isRefusal && !isUnsettled) || isUnsendable(error)) return refused(sending, command, error, unproven);
    // It changed nothing at the hub: what was known of it before is still so.
    if (!isUnknown) store.evidence?.delete(orderId);
    unproven = command.unproven;
    return later(
      error instanceof RateLimitError ? Math.max(backoffMs, error.retryAfterMs) : backoffMs,
      error,
    );
  }
}

/** Whether a hub refuses the command if it has carried it out before. A request that was denied can be made again. */
const isRefusedAgain = (command: string) => COMMAND_EVENTS.has(command) && command !== 'requestCancellation';

/** Whether the command cannot be sent, now or later: it names no order. */
const isUnsendable = (error: unknown): error is Error =>
  isHubError(error) && error.code === 'configuration' && /^(?:orderId|status|body)$/.test(error.option);

function refused(
  { engine, store }: Sending,
  { id, orderId, command }: ClaimedCommand,
  error: Error & { readonly outcome?: string | undefined },
  unproven: number,
): CommandChange {
  store.refusedTokens?.delete(id);
  store.evidence?.delete(orderId);
  emit(engine, store, 'commandRefused', { orderId: shownId(store, orderId), command, error });
  const isUnknown = error.outcome === 'unknown';
  const dueAt = engine.services.clock.now();
  return { status: 'refused', isUnknown, unproven, dueAt, error: storedNameOf(error) };
}

async function send(
  orders: Orders,
  { orderId, command, body }: ClaimedCommand,
  signal: AbortSignal,
): Promise<void> {
  const given = body === undefined ? undefined : (JSON.parse(body) as object);
  const options = { signal, retry: ONCE };
  if (command === 'confirm') await orders.confirm(orderId, given, options);
  else if (command === 'details') await orders.details(orderId, given ?? {}, options);
  else await orders.updateStatus(orderId, command, given, options);
}
