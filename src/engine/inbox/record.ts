import { SingleFlight } from '../../async/promises.js';
import { inboxError } from '../../inbox/inbox-error.js';
import type { InboxTables, StoreKey } from '../../inbox/tables.js';
import type { Services } from '../../services/services.js';
import { toStoredText } from '../../state/stored-text.js';
import type { Engine } from '../engine.js';
import { shownId } from '../report-events.js';
import type { OpenEvent, Store } from '../store.js';
import { nameOf } from '../thrown.js';

/** What an engine knows of its inbox. */
export interface EngineInbox {
  readonly tables: InboxTables;
  /** The host of the hub: stores of two hubs may have one id. */
  readonly hub: string;
  /** When the tables were last read, in monotonic ms. */
  lookedAt: number;
  readonly looking: SingleFlight<unknown>;
}

export function engineInboxOf(tables: InboxTables, { options, clock }: Services): EngineInbox {
  tables.use(clock);
  return {
    tables,
    hub: new URL(options.baseUrl).host,
    lookedAt: Number.NEGATIVE_INFINITY,
    looking: new SingleFlight(),
  };
}

/** Events and commands of a store that this process has claimed; and how they are handled. */
export interface Work {
  /** Claimed events whose end is not written, by key. They stay here also while a late run goes on. */
  readonly held: Map<string, OpenEvent>;
  /** Claimed events that wait for a lane, in one array for each order. */
  readonly backlog: OpenEvent[][];
  /** What the lanes handle, by order. */
  queues: Map<string, OpenEvent[]>;
  /** Orders that are handled at a time; each lane takes one after another. */
  lanes: number;
  readonly filling: SingleFlight<void>;
  /** Something may be due that was not claimed. */
  isWoken: boolean;
  /** Events were left because their order was being handled. */
  hasBlocked: boolean;
  /** Commands may be due; and who sends them. */
  hasCommands: boolean;
  sender: AbortController | undefined;
  /** The claims of `held` and `backlog`: those of another lease are not ours any more. */
  owner: string;
  /** The owner for which events whose process had ended in their last attempt became dead letters. */
  deadLetteredFor: string;
  /** What could not be written, to be tried again. */
  readonly unwritten: Set<() => Promise<void>>;
  /** Orders of which a command is being sent. */
  readonly sending: Set<string>;
  /** Of `runOnce`: what has failed. */
  readonly failures: { readonly eventId: string; readonly error: unknown }[];
  /** The last failure, until that event is handled. */
  lastFailed: OpenEvent | undefined;
}

export function workOf(store: Store): Work {
  store.work ??= {
    held: new Map(),
    backlog: [],
    queues: new Map(),
    lanes: 0,
    filling: new SingleFlight(),
    isWoken: false,
    hasBlocked: false,
    hasCommands: false,
    sender: undefined,
    owner: '',
    deadLetteredFor: '',
    unwritten: new Set(),
    sending: new Set(),
    failures: [],
    lastFailed: undefined,
  };
  return store.work;
}

/** A failure, for the report of `runOnce`. */
export function addToRunOnce(store: Store, { event }: OpenEvent, error: unknown): void {
  if (store.call === 'runOnce') store.work?.failures.push({ eventId: shownId(store, event.eventId), error });
}

/** Drops the record of a store that has nothing to do. */
export function forgetWork(store: Store): void {
  const { work } = store;
  if (!work || work.lanes > 0 || work.held.size > 0 || work.sender) return;
  if (work.isWoken || work.hasCommands) return;
  if (work.unwritten.size === 0 && !work.lastFailed && work.failures.length === 0) store.work = undefined;
}

/** Gets the tables, the store's key in them, and the present time in epoch ms. */
export type TableStep<Result> = (tables: InboxTables, key: StoreKey, now: number) => Promise<Result>;

/**
 * One step in the tables, for a store.
 *
 * @throws {StateError} the inbox cannot be reached.
 */
export async function inTables<Result>(
  engine: Engine,
  store: Store,
  step: TableStep<Result>,
): Promise<Result> {
  try {
    return await step(...partsOf(engine, store));
  } catch (cause) {
    throw inboxError(cause, 'nothing is polled or acknowledged until it can be', (text) =>
      store.account.quote(text),
    );
  }
}

/** What a step gets; for `commit`, whose callback throws errors of its own. */
export function partsOf(engine: Engine, store: Store): [InboxTables, StoreKey, number] {
  const { tables, hub } = engine.inbox as EngineInbox;
  return [tables, { hub, storeId: storeIdOf(store) }, engine.services.clock.now()];
}

/** The store's id in the tables. */
export const storeIdOf = ({ account }: Store): string => account.storeId ?? account.clientId ?? '';

let records = 0;
/** Numbers the records of stores: a fleet may remove a store, and add it again, while it has the lease. */
const numbers = new WeakMap<Store, number>();

/**
 * Who claims: the client, the lease it has now, and the store's record. A row of another owner was left by a process that has
 * ended, or by a record that may have forgotten what it has sent.
 */
export function ownerOf({ services }: Engine, store: Store): string {
  if (!numbers.has(store)) {
    records += 1;
    numbers.set(store, records);
  }
  return `${services.holder}/${store.lease?.fence ?? 0}/${numbers.get(store)}`;
}

/** All that is kept of an error: its message may contain a customer's data. */
export const storedNameOf = (error: unknown): string =>
  toStoredText(nameOf(error, typeof error).slice(0, 100));
