import { isHubError, NotFoundError, RateLimitError } from '../../errors/index.js';
import type { ClaimedCommand, CommandChange } from '../../inbox/port.js';
import { COMMAND_EVENTS, isAlreadyThere } from '../../orders/already-there.js';
import type { Orders } from '../../orders/orders.js';
import { type Engine, emit, reportError } from '../engine.js';
import { noteEnd, type Store } from '../store.js';
import { inboxError, inboxOf, keyOfStore, type Work } from './record.js';

/** Until a command that the hub did not answer is tried again; doubled each time. A restaurant waits for it. */
const FIRST_BACKOFF_MS = 1000;
const MAX_BACKOFF_MS = 60_000;

/** Beyond the interval: a poll has come meanwhile, with the event that proves a command. */
const POLL_MARGIN_MS = 5000;

/** What is known of a command whose answer was lost. */
type Proof = 'carried out' | 'not carried out' | 'not shown' | 'unreadable';

/**
 * Sends the commands that are due, those of an order one after another, `concurrency` orders at a time. It never
 * rejects. One call for a store does it; others only tell it that there is more.
 */
export async function sendCommands(
  engine: Engine,
  store: Store,
  work: Work,
  owner: string,
  isCurrent: () => boolean,
): Promise<void> {
  if (work.isSending) return;
  work.isSending = true;
  const running = new Set<Promise<void>>();
  try {
    while (isCurrent()) {
      // When half of the places are free: one statement claims for several of them.
      const mayClaim = work.hasCommands && running.size <= engine.options.concurrency / 2;
      const commands = mayClaim ? await claimCommands(engine, store, work, owner) : [];
      for (const command of commands) {
        const sent = sendOne(engine, store, work, owner, command).finally(() => {
          running.delete(sent);
          // The next one of its order may follow.
          work.hasCommands = true;
        });
        running.add(sent);
      }
      if (commands.length > 0) continue;
      if (running.size === 0) return;
      await Promise.race(running);
    }
  } catch (cause) {
    reportError(engine, store, inboxError(store, cause));
  } finally {
    await Promise.all(running);
    work.isSending = false;
    noteEnd(store);
  }
}

async function claimCommands(engine: Engine, store: Store, work: Work, owner: string) {
  const inbox = inboxOf(engine);
  const limit = engine.options.concurrency - work.sending.size;
  if (limit <= 0) return [];
  work.hasCommands = false;
  const now = engine.services.clock.now();
  const request = { owner, now, heldOrders: [...work.sending], limit };
  const commands = await inbox.tables.claimCommands(keyOfStore(inbox, store), request);
  for (const { orderId } of commands) work.sending.add(orderId);
  return commands;
}

async function sendOne(
  engine: Engine,
  store: Store,
  work: Work,
  owner: string,
  command: ClaimedCommand,
): Promise<void> {
  const inbox = inboxOf(engine);
  const { clock } = engine.services;
  try {
    const change = await outcomeOf(engine, store, command);
    await inbox.tables.answered(command.id, owner, change, clock.now());
  } catch (cause) {
    // It stays claimed. Whoever claims it next asks the hub whether it was carried out.
    reportError(engine, store, inboxError(store, cause));
  } finally {
    work.sending.delete(command.orderId);
    noteEnd(store);
  }
}

async function outcomeOf(engine: Engine, store: Store, command: ClaimedCommand): Promise<CommandChange> {
  const { clock } = engine.services;
  const { orders } = engine.hubOf(store);
  const now = clock.now();
  const { attempts, orderId } = command;
  const change = { isUnknown: command.isUnknown, resends: command.resends, dueAt: now, error: undefined };
  const backoffMs = Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** Math.min(attempts - 1, 20));
  if (command.isUnknown) {
    const proof = await proofOf(store, orders, command);
    if (proof === 'carried out') {
      store.commandEvents?.delete(orderId);
      return { ...change, status: 'sent', isUnknown: false };
    }
    if (proof === 'unreadable') return { ...change, status: 'waiting', dueAt: now + backoffMs };
    if (proof === 'not shown') {
      // The next poll may bring the event that proves it.
      const waitMs = engine.options.intervalMs + POLL_MARGIN_MS;
      if (attempts <= 2) return { ...change, status: 'waiting', dueAt: now + waitMs };
      if (command.resends > 0 || !COMMAND_EVENTS.has(command.command)) {
        const error = new Error(
          `the hub did not answer ${command.command}, and nothing shows whether it has carried it out`,
        );
        return refused(engine, store, command, Object.assign(error, { outcome: 'unknown' }), now);
      }
    }
  }
  const resends = command.resends + (command.isUnknown ? 1 : 0);
  try {
    await send(orders, command);
    store.commandEvents?.delete(orderId);
    return { ...change, status: 'sent', isUnknown: false, resends };
  } catch (error) {
    const later = { ...change, resends, status: 'waiting' as const, error: nameOf(error) };
    if (isHubError(error) && error.outcome === 'unknown') {
      store.commandEvents ??= new Map();
      store.commandEvents.set(orderId, store.commandEvents.get(orderId) ?? []);
      return { ...later, isUnknown: true, dueAt: now + backoffMs };
    }
    if (isRefusal(error)) return { ...refused(engine, store, command, error, now), resends };
    const waitMs = error instanceof RateLimitError ? Math.max(backoffMs, error.retryAfterMs) : backoffMs;
    return { ...later, isUnknown: false, dueAt: now + waitMs };
  }
}

/** Whether the hub has refused it. What was not sent, or was not answered, is no refusal. */
function isRefusal(error: unknown): boolean {
  if (error instanceof RateLimitError || !isHubError(error)) return !isHubError(error);
  const status: unknown = Reflect.get(error, 'status');
  if (typeof status === 'number') return status >= 400 && status < 500 && status !== 401;
  return error.code === 'configuration';
}

function refused(
  engine: Engine,
  store: Store,
  { orderId, command }: ClaimedCommand,
  error: unknown,
  now: number,
): CommandChange {
  store.commandEvents?.delete(orderId);
  emit(engine, store, 'commandRefused', {
    orderId: store.account.quote(orderId, Number.POSITIVE_INFINITY),
    command,
    error,
  });
  const isUnknown =
    typeof error === 'object' && error !== null && Reflect.get(error, 'outcome') === 'unknown';
  return { status: 'refused', isUnknown, resends: 0, dueAt: now, error: nameOf(error) };
}

/** Asks the hub for the order: its last event shows whether the command was carried out. */
async function proofOf(store: Store, orders: Orders, { orderId, command }: ClaimedCommand): Promise<Proof> {
  const isShownBy = (type: string) =>
    isAlreadyThere(command, type) ||
    // Requested and denied: it was carried out.
    (command === 'requestCancellation' && type === 'CANCELLATION_REQUEST_DENIED');
  if (store.commandEvents?.get(orderId)?.some(isShownBy)) return 'carried out';
  if (!COMMAND_EVENTS.has(command)) return 'not shown';
  try {
    const { lastEvent } = (await orders.get(orderId)).order;
    if (typeof lastEvent !== 'string' || lastEvent === '') return 'not shown';
    return isShownBy(lastEvent) ? 'carried out' : 'not carried out';
  } catch (error) {
    return error instanceof NotFoundError ? 'not shown' : 'unreadable';
  }
}

async function send(orders: Orders, { orderId, command, body }: ClaimedCommand): Promise<void> {
  const given = body === undefined ? undefined : (JSON.parse(body) as object);
  if (command === 'confirm') await orders.confirm(orderId, given);
  else if (command === 'details') await orders.details(orderId, given ?? {});
  else await orders.updateStatus(orderId, command, given);
}

const nameOf = (error: unknown) => (error instanceof Error ? error.name.slice(0, 100) : typeof error);
