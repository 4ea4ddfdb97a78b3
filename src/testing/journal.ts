import type { EndpointName } from '../hub/endpoints.js';
import { CredentialMask } from './credential-mask.js';
import type { Fault } from './fault.js';
import type { HubEvent, MockStore } from './mock-store.js';

/** One request that the mock hub received, and its response. Credentials are masked. */
export interface JournalEntry {
  /** When the request arrived, in epoch ms on the hub's clock. */
  readonly at: number;
  /** When the request arrived, in ms on the hub's monotonic clock. */
  readonly monotonicAt: number;
  /** Undefined if the spec has no endpoint with this method and path. */
  readonly endpoint: EndpointName | undefined;
  /** HTTP method. */
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  /** `authorization` is `Bearer [token 1]` for the first token that the hub issued. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * Such as `client_secret=[client secret 1]`; cut after 1,000,000 characters. `[54 characters withheld]` for a token
   * request in which the hub has not found the secret: it may be anywhere.
   */
  readonly body: string;
  /** The store whose credentials the request has; undefined if they belong to no store. */
  clientId?: string;
  /** The fault that the request met. */
  fault?: Fault;
  /** Undefined if the hub did not respond, or broke the connection. */
  status?: number;
  /** When the response was sent, in ms on the hub's monotonic clock. */
  answeredMonotonicAt?: number;
  /** The events in the response of a poll. */
  events?: readonly HubEvent[];
  /** The event ids that an acknowledgment confirmed, in its order. */
  acknowledged?: readonly string[];
}

const MAX_ENTRIES = 10_000;
/** Size of the entries as JSON. */
const MAX_BYTES = 16_000_000;
const MAX_BODY_LENGTH = 1_000_000;
/** Upper bound for the field names and numbers that one `note` adds. */
const FIELDS_BYTES = 80;

/** The latest requests. When the journal is full, the oldest are removed. */
export class Journal {
  readonly entries: JournalEntry[] = [];
  readonly mask: CredentialMask;
  /** The size of each entry that was not removed. */
  readonly #sizes = new WeakMap<JournalEntry, number>();
  /** Cached, because each poll returns the same events again. */
  readonly #eventBytes = new WeakMap<HubEvent, number>();
  #bytes = 0;
  readonly #numbers = new WeakMap<JournalEntry, number>();
  readonly #byNumber = new Map<number, JournalEntry>();
  /** Requests so far, those that were removed included: the numbers do not start again. */
  #added = 0;

  /** @param secretField - the name of the client secret in token requests. */
  constructor(secretField?: string) {
    this.mask = new CredentialMask(secretField);
  }

  /** @param stores - their credentials are masked wherever they are in the request. */
  add(request: JournalEntry, stores: readonly MockStore[]): JournalEntry {
    const { path, headers, body } = this.mask.request(request, stores);
    const entry = { ...request, path, headers, body: truncated(body) };
    this.entries.push(entry);
    this.#added += 1;
    this.#numbers.set(entry, this.#added);
    this.#byNumber.set(this.#added, entry);
    this.#sizes.set(entry, 0);
    this.#grow(entry, bytesOf(entry));
    return entry;
  }

  /** The number of an entry: 1 for the first request of this hub. */
  numberOf(entry: JournalEntry): number {
    return this.#numbers.get(entry) ?? 0;
  }

  /** The entry with this number; undefined if it was removed. */
  find(number: number): JournalEntry | undefined {
    return this.#byNumber.get(number);
  }

  /** Adds to an entry what is known now, also if the journal has already removed it. */
  note(entry: JournalEntry, outcome: Omit<Partial<JournalEntry>, 'clientId'>): void {
    const { fault, events, acknowledged } = outcome;
    const eventBytes = events?.reduce((sum, event) => sum + this.#bytesOfEvent(event), 0) ?? 0;
    // One huge poll must not push everything else out of the journal.
    const noted = eventBytes > MAX_BYTES / 2 ? { ...outcome, events: undefined } : outcome;
    Object.assign(entry, noted);
    const bytes = FIELDS_BYTES + (noted.events ? eventBytes : 0);
    this.#grow(entry, bytes + (fault ? bytesOf(fault) : 0) + (acknowledged ? bytesOf(acknowledged) : 0));
  }

  /** Removes the requests of one store, or of all. */
  remove(clientId: string | undefined): void {
    for (const entry of this.entries.splice(0)) {
      if (clientId === undefined || entry.clientId === clientId) this.#forget(entry);
      else this.entries.push(entry);
    }
    if (clientId === undefined) this.mask.clear();
  }

  #forget(entry: JournalEntry): void {
    this.#bytes -= this.#sizes.get(entry) as number;
    this.#sizes.delete(entry);
    this.#byNumber.delete(this.numberOf(entry));
  }

  #grow(entry: JournalEntry, bytes: number): void {
    const size = this.#sizes.get(entry);
    if (size === undefined) return;
    this.#sizes.set(entry, size + bytes);
    this.#bytes += bytes;
    while (this.entries.length > MAX_ENTRIES || this.#bytes > MAX_BYTES) {
      this.#forget(this.entries.shift() as JournalEntry);
    }
  }

  #bytesOfEvent(event: HubEvent): number {
    const known = this.#eventBytes.get(event);
    if (known !== undefined) return known;
    const bytes = bytesOf(event);
    this.#eventBytes.set(event, bytes);
    return bytes;
  }
}

const bytesOf = (value: object) => Buffer.byteLength(JSON.stringify(value)) + 1;

function truncated(body: string): string {
  const cut = body.length - MAX_BODY_LENGTH;
  return cut > 0 ? `${body.slice(0, MAX_BODY_LENGTH)}… [${cut} characters cut]` : body;
}
