import type { HubState } from '../hub-state.js';
import type { JournalEntry } from '../journal.js';
import type { MockStore } from '../mock-store.js';
import type { PushDelivery, Pushing } from '../push.js';

/** What the console knows of one store's events and orders. */
export interface StoreHistory {
  /** When each event was first in the response of a poll, and in how many. */
  readonly delivered: Map<string, { readonly at: number; readonly times: number }>;
  readonly acknowledgedAt: Map<string, number>;
  /** The latest try to push each event. */
  readonly pushed: Map<string, PushDelivery>;
  /** The latest command of the application for each order. */
  readonly commands: Map<string, JournalEntry>;
  /** How many entries of `store.acknowledged` have been read. */
  acknowledgedRead: number;
  /** `store.forgotten` at that time. */
  forgotten: number;
}

/** At most this many polls without a response are looked at again. */
const MAX_OPEN_POLLS = 1000;

/**
 * Follows the journal, so that nothing reads all 10,000 entries again. The
 * facts belong to the store's object, which a reset replaces.
 */
export class History {
  readonly #state: HubState;
  readonly #stores = new WeakMap<MockStore, StoreHistory>();
  #read = 0;
  #openPolls: JournalEntry[] = [];
  /** How many of its deliveries have been read. */
  readonly #pushesRead = new WeakMap<Pushing, number>();

  constructor(state: HubState) {
    this.#state = state;
  }

  /** Reads the requests that arrived, and the pushes that ended, since the last call. */
  refresh(): void {
    const { journal } = this.#state;
    const polls = this.#openPolls;
    this.#openPolls = [];
    for (const poll of polls) this.#readPoll(poll);
    for (const entry of journal.after(this.#read)) {
      if (entry.endpoint === 'polling') this.#readPoll(entry);
      if (entry.endpoint === 'orderStatus') this.#readCommand(entry);
    }
    this.#read = journal.added;
    this.#readPushes();
  }

  of(store: MockStore): StoreHistory {
    let history = this.#stores.get(store);
    if (!history) {
      history = {
        delivered: new Map(),
        acknowledgedAt: new Map(),
        pushed: new Map(),
        commands: new Map(),
        acknowledgedRead: 0,
        forgotten: store.forgotten,
      };
      this.#stores.set(store, history);
    }
    if (history.forgotten !== store.forgotten) forget(history, store);
    const { acknowledged } = store;
    for (; history.acknowledgedRead < acknowledged.length; history.acknowledgedRead += 1) {
      const { eventId, acknowledgedAt } = acknowledged[history.acknowledgedRead] as (typeof acknowledged)[0];
      history.acknowledgedAt.set(eventId, acknowledgedAt);
    }
    return history;
  }

  #readPoll(entry: JournalEntry): void {
    const store = entry.clientId === undefined ? undefined : this.#state.stores.withClientId(entry.clientId);
    if (entry.status === undefined) {
      if (this.#openPolls.length < MAX_OPEN_POLLS) this.#openPolls.push(entry);
      return;
    }
    if (!store || entry.status !== 200) return;
    const { delivered } = this.of(store);
    const at = entry.at + ((entry.answeredMonotonicAt ?? entry.monotonicAt) - entry.monotonicAt);
    for (const { eventId } of entry.events ?? []) {
      const known = delivered.get(eventId);
      delivered.set(eventId, { at: known?.at ?? at, times: (known?.times ?? 0) + 1 });
    }
  }

  #readPushes(): void {
    const { pushers, stores } = this.#state;
    for (const { clientId, pusher } of pushers.all) {
      const { pushed } = this.of(stores.get(clientId));
      const { deliveries } = pusher;
      for (const each of deliveries.slice(this.#pushesRead.get(pusher) ?? 0)) pushed.set(each.eventId, each);
      this.#pushesRead.set(pusher, deliveries.length);
    }
  }

  #readCommand(entry: JournalEntry): void {
    // The store is noted when the request is decided on, which may be later: look in all of them.
    const orderId = commandOf(entry)?.orderId;
    if (orderId === undefined) return;
    for (const store of this.#state.stores.all) {
      if (store.orders.has(orderId)) this.of(store).commands.set(orderId, entry);
    }
  }
}

/** Removes what belongs to orders that the store has forgotten. Its list of acknowledged events is another one. */
function forget(history: StoreHistory, store: MockStore): void {
  const { delivered, acknowledgedAt, pushed, commands } = history;
  for (const ofEvents of [delivered, acknowledgedAt, pushed]) {
    for (const eventId of ofEvents.keys()) if (store.withId(eventId).length === 0) ofEvents.delete(eventId);
  }
  for (const orderId of commands.keys()) if (!store.orders.has(orderId)) commands.delete(orderId);
  history.acknowledgedRead = 0;
  history.forgotten = store.forgotten;
}

/** The order and the command of a request to `/v1/orders/{orderId}/{command}`. */
export function commandOf({ path }: JournalEntry): { orderId: string; name: string } | undefined {
  const [, orderId, name] = /\/orders\/([^/?]+)\/([^/?]+)(?:\?|$)/.exec(path) ?? [];
  if (orderId === undefined || name === undefined) return undefined;
  try {
    return { orderId: decodeURIComponent(orderId), name: decodeURIComponent(name) };
  } catch {
    return undefined;
  }
}
