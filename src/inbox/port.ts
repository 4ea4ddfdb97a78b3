import type { Clock } from '../time/clock.js';

/** Where an event of the inbox is. `dead`: it has failed `maxAttempts` times, and waits for `redrive`. */
export type StoredStatus = 'waiting' | 'running' | 'failed' | 'dead' | 'handled';

/** Where a command of the outbox is. `refused`: the hub has refused it, or its outcome cannot be known. */
export type CommandStatus = 'waiting' | 'sending' | 'sent' | 'refused';

/** What waits in an inbox. */
export interface InboxStats {
  /** Events that were not tried yet. */
  readonly waiting: number;
  /** Events whose listeners run, or ran in a process that has ended. */
  readonly running: number;
  /** Events that failed and run again. */
  readonly failed: number;
  /** Events that failed `maxAttempts` times. */
  readonly dead: number;
  /** Commands that the hub has not answered. */
  readonly commands: number;
  /** How long ago the oldest event was received that is waiting, running or failed, in ms; 0 if there is none. */
  readonly oldestMs: number;
}

/** A dead event. Instants are ISO 8601, in UTC. */
export interface DeadEvent {
  /** The store, as the fleet or the credentials name it. */
  readonly storeId: string;
  /** The hub's id of the event. */
  readonly eventId: string;
  /** The order of the event. */
  readonly orderId: string;
  /** The type of the event. */
  readonly eventType: string;
  /** How often its listener was called. */
  readonly attempts: number;
  /** When it was stored. */
  readonly receivedAt: string;
  /** When it failed last. */
  readonly failedAt: string | undefined;
  /** The name of the last error. Its message is not kept, because it may contain a customer's data. */
  readonly error: string | undefined;
}

/** What happened to an event. Instants are ISO 8601, in UTC. */
export interface EventHistory extends DeadEvent {
  /** Where it is now. */
  readonly status: StoredStatus;
  /** When its listener was last called. */
  readonly startedAt: string | undefined;
  /** When it was committed, or its listener had resolved. */
  readonly handledAt: string | undefined;
}

/** What happened to a command. Instants are ISO 8601, in UTC. */
export interface CommandHistory {
  /** The store whose order it is about. */
  readonly storeId: string;
  /** The event whose `commit` has recorded it. */
  readonly eventId: string;
  /** As the last segment of the path: 'confirm', 'dispatch', … */
  readonly command: string;
  /** Where it is now. */
  readonly status: CommandStatus;
  /** How often it was tried. */
  readonly attempts: number;
  /** When it was committed. */
  readonly createdAt: string;
  /** When the hub accepted or refused it. */
  readonly answeredAt: string | undefined;
  /** The name of the last error. */
  readonly error: string | undefined;
  /** 'unknown': the hub may have carried it out, and did not answer. */
  readonly outcome: 'unknown' | undefined;
}

/** What happened to an order: its events and its commands, in the sequence in which they were stored. */
export interface OrderHistory {
  /** The order. */
  readonly orderId: string;
  /** Its events. */
  readonly events: readonly EventHistory[];
  /** The commands about it. */
  readonly commands: readonly CommandHistory[];
}

/** Which events run again: one, those of a store, or all. */
export type RedriveRequest =
  | {
      /** The hub's id of the event. */
      readonly eventId: string;
    }
  | {
      /** The store whose events they are. */
      readonly storeId: string;
    }
  | {
      /** All events of all stores. */
      readonly all: true;
    };

/** The commands of `hub.orders` that `commit` can record. They are sent after the commit, and not after a rollback. */
export interface Outbox {
  /** As `hub.orders.updateStatus`. */
  updateStatus(orderId: string, status: string, body?: object): void;
  /** As `hub.orders.confirm`. */
  confirm(orderId: string, body?: object): void;
  /** As `hub.orders.preparing`. */
  preparing(orderId: string): void;
  /** As `hub.orders.readyForPickup`. */
  readyForPickup(orderId: string): void;
  /** As `hub.orders.dispatch`. */
  dispatch(orderId: string, body?: object): void;
  /** As `hub.orders.pickedUp`. */
  pickedUp(orderId: string): void;
  /** As `hub.orders.delivered`. */
  delivered(orderId: string): void;
  /** As `hub.orders.requestCancellation`. */
  requestCancellation(orderId: string, body: object): void;
  /** As `hub.orders.acceptCancellation`. */
  acceptCancellation(orderId: string): void;
  /** As `hub.orders.denyCancellation`. */
  denyCancellation(orderId: string, body: object): void;
  /** As `hub.orders.tracking`. */
  tracking(orderId: string, body: object): void;
  /** As `hub.orders.details`. */
  details(orderId: string, body: object): void;
}

/**
 * Runs a transaction in which the event becomes handled. What `run` writes with `tx`, the mark of the event and the
 * commands of `outbox` are committed together, or none of them.
 *
 * It may be called once for an event. Read from the network before it, not inside it. With `sqliteInbox`, `run` is
 * synchronous.
 *
 * @returns what `run` returns.
 * @throws what `run` throws; then nothing was written.
 * @throws {LeaseLostError} another process handles the event now; nothing was written.
 * @throws {ConfigurationError} it was called before for this event.
 */
export type Commit<Tx> = <Result>(run: (tx: Tx, outbox: Outbox) => Result) => Promise<Awaited<Result>>;

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
  /** In epoch ms. */
  readonly receivedAt: number;
}

export interface ClaimRequest {
  /** Who claims: the client and its lease. */
  readonly owner: string;
  /** Epoch ms. */
  readonly now: number;
  /** What the owner handles already is not claimed. */
  readonly heldKeys: readonly string[];
  /** The orders of these events. */
  readonly heldOrders: readonly string[];
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

/**
 * Stores events before they are acknowledged, and the commands that follow from them. Made by `postgresInbox`,
 * `sqliteInbox` or `sqlInbox` of 'opendelivery-client/sql', and passed to a poller or fleet as its option `inbox`.
 *
 * `Tx` is what the callback of `commit` gets: the client of the transaction.
 */
export interface Inbox<Tx = unknown> {
  /** Makes the tables, or does nothing if they are there. Several processes may call it at once. */
  migrate(): Promise<void>;
  /** What waits, of one store or of all. */
  stats(options?: { readonly storeId?: string }): Promise<InboxStats>;
  /** The dead events that failed last, at most `limit` (100). */
  dead(options?: { readonly storeId?: string; readonly limit?: number }): Promise<readonly DeadEvent[]>;
  /**
   * Lets failed and dead events run at once. Their attempts are kept: a dead one gets one run.
   *
   * @returns how many.
   */
  redrive(request: RedriveRequest): Promise<number>;
  /** What happened to an order. */
  history(options: { readonly orderId: string }): Promise<OrderHistory>;
  /**
   * Removes handled events and answered commands that are older, never what is waiting, failed or dead. Call it once a
   * day: an event that the hub sends again after its row is gone is handled again.
   *
   * @returns how many rows.
   */
  prune(options: { readonly olderThanMs: number }): Promise<number>;
  /**
   * What the engine does with the tables.
   *
   * @internal
   */
  readonly tables: InboxTables<Tx>;
}

/** The steps of the engine: each is one statement, `commit` one transaction. */
export interface InboxTables<Tx = unknown> {
  /** The clock of the client, for `stats` and `prune`. */
  use(clock: Clock): void;
  /** Stores new events. @returns the keys of those that were new. */
  insert(store: StoreKey, events: readonly NewEvent[], now: number): Promise<ReadonlySet<string>>;
  /** The stores that have something to do: events, or commands. */
  due(now: number): Promise<readonly (StoreKey & { readonly isCommand: boolean })[]>;
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
  /** Marks a claimed event as failed, or dead. */
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
  ): Promise<void>;
  /** Events whose process has ended in their last attempt become dead. @returns them. */
  bury(
    store: StoreKey,
    request: { readonly owner: string; readonly maxAttempts: number; readonly now: number },
  ): Promise<readonly ClaimedEvent[]>;
  /** Failed events of the orders run at once; without orders, those of the store. */
  hurry(store: StoreKey, orderIds?: readonly string[]): Promise<void>;
  /** Runs a transaction in which a claimed event becomes handled. */
  commit<Result>(
    store: StoreKey,
    request: CommitRequest,
    run: (tx: Tx, outbox: Outbox) => Result,
  ): Promise<Awaited<Result>>;
  /** Claims commands that are due, the first one of each order. */
  claimCommands(
    store: StoreKey,
    request: Pick<ClaimRequest, 'owner' | 'now' | 'heldOrders' | 'limit'>,
  ): Promise<readonly ClaimedCommand[]>;
  /** Writes what became of a claimed command. */
  answered(id: string, owner: string, change: CommandChange, now: number): Promise<void>;
}
