import type {
  CancellationDenial,
  CancellationRequest,
  OrderConfirmation,
  OrderDetailsUpdate,
} from '../orders/commands.js';
import type { OrderDispatch, OrderTracking } from '../orders/tracking.js';
import type { InboxTables } from './tables.js';

/** Where an event of the inbox is. `dead`: it has failed `maxAttempts` times, and waits for `redrive`. */
export type StoredStatus = 'waiting' | 'running' | 'failed' | 'dead' | 'handled';

/** Where a command of the outbox is. `refused`: the hub has refused it, or its outcome cannot be known. */
export type CommandStatus = 'waiting' | 'sending' | 'sent' | 'refused';

/** What waits in an inbox. */
export interface InboxStats {
  /** Events that were not tried yet, or that `redrive` lets run again. */
  readonly waiting: number;
  /** Events whose listeners run, or ran in a process that has ended. */
  readonly running: number;
  /** Events that failed and run again. */
  readonly failed: number;
  /** Events that failed `maxAttempts` times. */
  readonly dead: number;
  /** Commands that the hub has not answered. */
  readonly commands: number;
  /** How long ago the oldest event was received that is waiting, running or failed, in ms; 0 without such an event. */
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
      /** The store whose event it is. Default: every store that has an event with this id. */
      readonly storeId?: string | undefined;
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
  confirm(orderId: string, body?: OrderConfirmation): void;
  /** As `hub.orders.preparing`. */
  preparing(orderId: string): void;
  /** As `hub.orders.readyForPickup`. */
  readyForPickup(orderId: string): void;
  /** As `hub.orders.dispatch`. */
  dispatch(orderId: string, body?: OrderDispatch): void;
  /** As `hub.orders.pickedUp`. */
  pickedUp(orderId: string): void;
  /** As `hub.orders.delivered`. */
  delivered(orderId: string): void;
  /** As `hub.orders.requestCancellation`. */
  requestCancellation(orderId: string, body: CancellationRequest): void;
  /** As `hub.orders.acceptCancellation`. */
  acceptCancellation(orderId: string): void;
  /** As `hub.orders.denyCancellation`. */
  denyCancellation(orderId: string, body: CancellationDenial): void;
  /** As `hub.orders.tracking`. */
  tracking(orderId: string, body: OrderTracking): void;
  /** As `hub.orders.details`. */
  details(orderId: string, body: OrderDetailsUpdate): void;
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
  stats(options?: { readonly storeId?: string | undefined }): Promise<InboxStats>;
  /** The dead events that failed last, at most `limit` (100). */
  dead(options?: {
    readonly storeId?: string | undefined;
    readonly limit?: number | undefined;
  }): Promise<readonly DeadEvent[]>;
  /**
   * Lets failed and dead events run at once. Their attempts are kept: a dead one gets one run.
   *
   * @returns how many.
   */
  redrive(request: RedriveRequest): Promise<number>;
  /** What happened to an order. */
  history(options: { readonly orderId: string }): Promise<OrderHistory>;
  /**
   * Removes handled events and sent commands that are older, never what is waiting, failed, dead or refused. Call it
   * once a day: an event that the hub sends again after its row is gone is handled again.
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
