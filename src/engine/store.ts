import type { Limit } from '../async/promises.js';
import type { Account } from '../auth/account.js';
import type { HubClient } from '../client.js';
import type { Acknowledgments } from '../events/acknowledgments.js';
import type { BoundedMap } from '../events/bounded-map.js';
import type { OrderEvent } from '../schemas/event.js';
import type { Moment } from '../time/clock.js';
import type { BusyOrder } from './busy-orders.js';
import type { Engine } from './engine.js';
import type { Evidence } from './inbox/proof.js';
import type { Work } from './inbox/record.js';
import type { HeldLease } from './lease.js';
import type { StopReport } from './reports.js';
import type { Run } from './run.js';
import type { Settler } from './settle.js';

/**
 * Where an event is between its first poll and its acknowledgment.
 *
 * - `waiting`: its listeners were not called, or only by an earlier process.
 * - `running`: its listeners run, also after their time limit.
 * - `failed`: a listener has thrown; it runs again after `retryAt`.
 * - `handled`: its listeners have resolved, and its mark waits to be written.
 * - `marked`: its mark is written, not needed, or refused (`refusedMarks`); only its acknowledgment is left.
 * - `acknowledging`: its acknowledgment is queued, sent, or failed; the hub sends it again then.
 */
export type EventStatus = 'waiting' | 'running' | 'failed' | 'handled' | 'marked' | 'acknowledging';

/** An event that the hub has sent and that is not confirmed. */
export class OpenEvent {
  readonly event: OrderEvent;
  /** Identifies it by id and content, see `keyOf`. */
  readonly key: string;
  status: EventStatus = 'waiting';
  /** How often its listeners were called, by all processes. */
  attempts = 0;
  /**
   * How the state's count stands to `attempts`: `ahead`, it has one that was not made yet (`readMarks`, `countAlone`); the run
   * makes it `exactly`, or `uncountAttempts` takes it back. `behind`: it lacks one; `countFailed` adds that if the run fails.
   */
  counted: 'exactly' | 'ahead' | 'behind' = 'exactly';
  /** Its mark was read: only then it is known whether it was handled before. */
  isRead = false;
  /** The hub has sent it before. */
  isRedelivered = false;
  /** What was reported of it, once: it is acknowledged without a listener, or it has used up `maxAttempts`. */
  reportedAs: 'unhandled' | 'exhausted' | undefined;
  /** Why the last attempt failed, and when, in monotonic ms. */
  error: unknown;
  failedAt: number | undefined;
  /** A failed event does not run before, in monotonic ms. No timer: a poll or push that brings it again decides. */
  retryAt = 0;
  /** A poll has returned it. One that was only pushed needs no acknowledgment. */
  isPolled: boolean;
  /** The number of the poll that last returned it. */
  poll: number;
  /** When this process first had it, and when a poll last returned it, in monotonic ms. */
  readonly receivedAt: number;
  seenAt: number;
  /** Another event with the same id. */
  next: OpenEvent | undefined;

  constructor(event: OrderEvent, key: string, isPolled: boolean, poll: number, receivedAt: number) {
    this.event = event;
    this.key = key;
    this.isPolled = isPolled;
    this.poll = poll;
    this.receivedAt = receivedAt;
    this.seenAt = receivedAt;
  }

  /** Its listeners are not called any more. */
  get isHandled(): boolean {
    return this.status === 'handled' || this.isMarked;
  }

  /** It can be acknowledged. */
  get isMarked(): boolean {
    return this.status === 'marked' || this.status === 'acknowledging';
  }
}

/** A turn in progress. */
export interface Turn {
  /** Ends the turn while its events are not handled yet. */
  readonly controller: AbortController;
  /** When its poll was expected, in monotonic ms; undefined: when the turn begins. */
  readonly expectedAt: number | undefined;
  /** A stop takes back a poll that is `unsent`, and lets one that is `sent` finish. */
  stage: 'unsent' | 'sent' | 'handling';
  /** Its events are handled as long as both are current. */
  epoch: number;
  fence: number;
  /** When the poll was sent, in monotonic ms. */
  polledAt: number;
}

/** A stop under way. */
export interface Stopping {
  readonly report: Promise<StopReport>;
  /** Ends it in at most this time. */
  readonly shorten: (timeoutMs: number) => void;
}

/** What the client knows of one store: a record that the functions of the engine take as an argument. It decides nothing. */
export class Store {
  account: Account;
  /** The shops whose events are polled, instead of those of the options. */
  merchants: readonly string[] | undefined;
  /** In a fleet whose stores are divided into shards: which one it is in. */
  shard = 0;
  /** Its client, once a listener or the application has asked for it. */
  hub: HubClient | undefined;

  /** Who polls it, and by which call. */
  engine: Engine | undefined;
  call: 'start' | 'runOnce' | 'receive' | undefined;
  stopping: Stopping | undefined;
  isPaused = false;
  /** How many pushes are being handled. */
  receiving = 0;
  /** Polling has ended, and the lease is being released. */
  releasing: Promise<void> | undefined;
  /** Its client is closed. */
  isClosed = false;
  /** Rises at each stop and each lost lease: what began in an earlier epoch is not handled any more. */
  epoch = 0;
  turn: Turn | undefined;

  /** When its next turn is due, in monotonic ms, and where it is in the scheduler's heap; -1: it is not there. */
  dueAt = 0;
  heapIndex = -1;
  /** An instant at which it was polled in its own phase, in monotonic ms. */
  phaseAt: number | undefined;
  /** When its last poll was sent, or its last turn without a poll began, in monotonic ms. */
  startedAt: number | undefined;
  /** How long the last two good polls took: the slot of the next one is free a minute after one of them. */
  latencyMs = 0;
  formerLatencyMs = 0;
  /** When polling began, or the last good poll came. */
  waitsSince: Moment | undefined;

  /** There was a good poll since polling began. */
  isStarted = false;
  /** Another poller has its lease. */
  isOnStandby = false;
  /** Failed polls since the last good one, and why the last one failed. */
  failures = 0;
  lastError: unknown;
  /** Epoch ms of the last good poll. */
  lastPolledAt: number | undefined;
  /** When the hub may expect the next poll, in monotonic ms, whatever keeps it from being sent. */
  expectedAt = Number.POSITIVE_INFINITY;
  isOverdueReported = false;

  lease: HeldLease | undefined;
  /**
   * When the lease was first requested since its last release, in monotonic ms; undefined: it is released. Replies to
   * earlier requests are ignored, and a grant that comes after the release is given back.
   */
  leaseRequestedAt: number | undefined;
  cancelRenewal: (() => void) | undefined;

  /** Events since polling began. */
  handled = 0;
  unhandled = 0;
  acknowledged = 0;
  /** How many polls were received, and whether the last one returned all that the hub has. */
  polls = 0;
  isPollComplete = true;
  /** By event id; only while there are any. */
  open: Map<string, OpenEvent> | undefined;
  /** The keys that this many confirmed ids last had: a hub that uses an id again is reported. */
  readonly rememberedIds: number;
  confirmed: BoundedMap<string, string> | undefined;
  /** Calls of listeners under way, also of earlier pollers. */
  runs: Set<Run> | undefined;
  orders: Map<string, BusyOrder> | undefined;
  /** How many polls and pushes are being handled. */
  handling = 0;
  /** Called when a turn or a run has ended, while a stop or a close waits for that. */
  onEnded: Set<() => void> | undefined;
  /** Keys of handled events whose marks the state has refused. They get the `rememberMs` of the poller that writes them at last. */
  refusedMarks: Set<string> | undefined;
  settler: Settler | undefined;
  /** Of `hub.events` and of polling: which ids the hub has refused. */
  acknowledgments: Acknowledgments | undefined;
  /** With an inbox: what is claimed and not finished, and with which lease others' work was taken over. */
  work: Work | undefined;
  takenFence: number | undefined;
  /** By order: what may show whether a command that has no answer was carried out. */
  evidence: Map<string, Evidence> | undefined;
  /** By the id of a command: the attempts in a row at which the hub has refused its token, and the polls before the first. */
  refusedTokens: Map<string, Record<'firstAttempt' | 'lastAttempt' | 'polls', number>> | undefined;
  /** The marks of events are being read, one reading at a time: two would count the same attempt. */
  reading: Limit | undefined;

  constructor(account: Account, rememberedIds: number) {
    this.account = account;
    this.rememberedIds = rememberedIds;
  }
}

/** Whether the engine polls the store: two pollers of one client share it. */
export const isPolling = (engine: Engine, store: Store): boolean =>
  store.call !== undefined && store.engine === engine;

/** Whether it will be polled again, unless that is ended or paused. */
export const willPoll = ({ call, stopping, isPaused }: Store): boolean =>
  call === 'start' && !stopping && !isPaused;

/** The open event with this key. */
export function findOpen(store: Store, eventId: string, key: string): OpenEvent | undefined {
  let each = store.open?.get(eventId);
  while (each && each.key !== key) each = each.next;
  return each;
}

/** `reached` resolves when `isTrue`, which is asked whenever a turn or a run has ended; `end` ends the wait. */
export function when(
  store: Store,
  isTrue: () => boolean,
): { readonly reached: Promise<void>; readonly end: () => void } {
  let look = () => {};
  const end = () => {
    store.onEnded?.delete(look);
    if (store.onEnded?.size === 0) store.onEnded = undefined;
  };
  const reached = new Promise<void>((resolve) => {
    look = () => {
      if (!isTrue()) return;
      end();
      resolve();
    };
    store.onEnded ??= new Set();
    store.onEnded.add(look);
    look();
  });
  return { reached, end };
}

export function noteEnd({ onEnded }: Store): void {
  for (const look of onEnded ?? []) look();
}

export function* openEvents({ open }: Store): Iterable<OpenEvent> {
  for (const first of open?.values() ?? []) {
    for (let each: OpenEvent | undefined = first; each; each = each.next) yield each;
  }
}
