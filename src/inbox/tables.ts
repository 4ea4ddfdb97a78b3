import type { Clock } from '../time/clock.js';
import type { CommandStatus, Outbox } from './inbox.js';

/** The store of a row: the host of the hub, and the store's id. */
export interface StoreKey {
  /** The host of the hub. */
  readonly hub: string;
  /** The store's id in the fleet, or else its client id. */
  readonly storeId: string;
}

/** An event as it is stored. */
export interface NewEvent {
  /** Its id and a digest of its content. */
  readonly key: string;
  /** The hub's id of the event. */
  readonly eventId: string;
  /** The order of the event. */
  readonly orderId: string;
  /** The type of the event. */
  readonly eventType: string;
  /** As JSON. */
  readonly event: string;
}

/** An event that the caller has claimed. */
export interface ClaimedEvent {
  /** As in `NewEvent`. */
  readonly key: string;
  /** As JSON. */
  readonly event: string;
  /** With the coming one, if `isCounted`. */
  readonly attempts: number;
  /** Whether the coming attempt is counted already. */
  readonly isCounted: boolean;
}

export interface ClaimRequest {
  /** Who claims: the client and its lease. */
  readonly owner: string;
  /** Epoch ms. */
  readonly now: number;
  /** What the owner handles already is not claimed: orders if `isOrdered`, otherwise keys. */
  readonly held: readonly string[];
  /** Whether an event that waits for its retry blocks its order. */
  readonly isOrdered: boolean;
  /** The coming attempt of events with fewer attempts is counted. */
  readonly countBelow: number;
  /** At most so many. */
  readonly limit: number;
}

/** A command that the caller has claimed. */
export interface ClaimedCommand {
  /** Of the row. */
  readonly id: string;
  /** The order. */
  readonly orderId: string;
  /** As the last segment of the path. */
  readonly command: string;
  /** JSON, or undefined. */
  readonly body: string | undefined;
  /** How often it was claimed, with this time. */
  readonly attempts: number;
  /** It was sent before, and the answer was lost. */
  readonly isUnknown: boolean;
  /** How often nothing has shown whether the hub had carried it out. */
  readonly unproven: number;
}

export interface CommandChange {
  /** Where it is now. */
  readonly status: CommandStatus;
  /** It was sent, and the answer was lost. */
  readonly isUnknown: boolean;
  /** As in `ClaimedCommand`. */
  readonly unproven: number;
  /** The next try, in epoch ms. */
  readonly dueAt: number;
  /** The name of the error. */
  readonly error: string | undefined;
}

/** What `commit` needs to know of a run. */
export interface CommitRequest {
  /** As in `NewEvent`. */
  readonly key: string;
  /** The hub's id of the event. */
  readonly eventId: string;
  /** Who has claimed the event. */
  readonly owner: string;
  /** Epoch ms. */
  readonly now: number;
}

/** A store with events or commands. */
export interface DueStore extends StoreKey {
  readonly isCommand: boolean;
  /** Who runs an event of it; undefined: something is due. */
  readonly owner: string | undefined;
}

/** What the callback of `commit` has returned, and whether it has recorded commands. */
export interface Committed<Result> {
  readonly result: Awaited<Result>;
  readonly hasCommands: boolean;
}

/** The steps of the engine: each is one statement, `commit` one transaction. */
export interface InboxTables<Tx = unknown> {
  /** The clock of the client: for its instants, the time limit of a statement, and virtual time. */
  use(clock: Clock): void;
  /** Stores new events. @returns how many were new. */
  insert(store: StoreKey, events: readonly NewEvent[], now: number): Promise<number>;
  /** The stores that have something to do, and those of which events run. */
  due(now: number): Promise<readonly DueStore[]>;
  /** Claims events that are due, and those that a process which has ended has claimed. */
  claim(store: StoreKey, request: ClaimRequest): Promise<readonly ClaimedEvent[]>;
  /** Counts the coming attempt of a claimed event. */
  count(store: StoreKey, key: string, owner: string): Promise<void>;
  /** Gives claimed events back that were not tried. */
  release(
    store: StoreKey,
    events: readonly { readonly key: string; readonly isCounted: boolean }[],
    owner: string,
  ): Promise<void>;
  /** Marks claimed events as handled. */
  handled(store: StoreKey, keys: readonly string[], owner: string, now: number): Promise<void>;
  /** Marks a claimed event as failed, or dead. @returns false: it is not claimed by this owner any more. */
  failed(
    store: StoreKey,
    key: string,
    change: {
      readonly owner: string;
      readonly now: number;
      readonly dueAt: number;
      readonly error: string;
      readonly isDead: boolean;
    },
  ): Promise<boolean>;
  /** Events whose process has ended in their last attempt become dead. @returns them. */
  deadLetterInterrupted(
    store: StoreKey,
    request: { readonly owner: string; readonly maxAttempts: number; readonly now: number },
  ): Promise<readonly ClaimedEvent[]>;
  /** Failed events of the orders run at once; without orders, those of the store. */
  retryNow(store: StoreKey, orderIds?: readonly string[]): Promise<void>;
  /** Runs a transaction in which a claimed event becomes handled. */
  commit<Result>(
    store: StoreKey,
    request: CommitRequest,
    run: (tx: Tx, outbox: Outbox) => Result,
  ): Promise<Committed<Result>>;
  /** Claims commands that are due, the first one of each order. */
  claimCommands(
    store: StoreKey,
    request: Pick<ClaimRequest, 'owner' | 'now' | 'held' | 'limit'>,
  ): Promise<readonly ClaimedCommand[]>;
  /**
   * The types of the events of its order that were stored after the command. Undefined if the order has had the same
   * command before: they may be of that one.
   */
  eventTypesAfter(store: StoreKey, command: ClaimedCommand): Promise<readonly string[] | undefined>;
  /** Writes what became of a claimed command. */
  answered(store: StoreKey, id: string, owner: string, change: CommandChange, now: number): Promise<void>;
}
