import type { EndpointName } from '../endpoints.js';
import { CredentialMask } from './credentials.js';
import type { Fault } from './faults.js';
import type { HubEvent } from './store.js';

/** One request as the mock hub saw it, and what it answered. */
export interface JournalEntry {
  /** Epoch ms on the hub's clock. */
  readonly at: number;
  /** Milliseconds on the hub's monotonic clock. */
  readonly monotonicAt: number;
  /** Undefined where no endpoint has this method and path. */
  readonly endpoint: EndpointName | undefined;
  readonly method: string;
  /** Path and query, credentials masked. */
  readonly path: string;
  /** Credentials are masked: `authorization` is `Bearer [token 1]` for the first token the hub issued. */
  readonly headers: Readonly<Record<string, string>>;
  /** Credentials masked, such as `client_secret=[client secret 1]`; cut after a million characters. */
  readonly body: string;
  /** The store it came from, once known. */
  clientId?: string;
  fault?: Fault;
  /** Undefined where the connection broke or no answer was given. */
  status?: number;
  /** When the answer left, monotonic. */
  answeredMonotonicAt?: number;
  /** What a poll handed out. */
  events?: readonly HubEvent[];
  /** Ids an acknowledgment confirmed, in its order. */
  acknowledged?: readonly string[];
}

/** What becomes known of a request while it is answered. */
export type Outcome = Partial<
  Pick<JournalEntry, 'clientId' | 'fault' | 'status' | 'answeredMonotonicAt' | 'events' | 'acknowledged'>
>;

const MAX_ENTRIES = 10_000;
/** As JSON, in bytes. */
const MAX_BYTES = 16_000_000;
const MAX_BODY_LENGTH = 1_000_000;

/** An entry and its size while it is in the journal. */
export interface JournalRecord {
  readonly entry: JournalEntry;
  bytes: number;
  isKept: boolean;
}

/** The latest requests, without their credentials; the oldest ones leave when it is full. */
export class Journal {
  readonly entries: JournalEntry[] = [];
  readonly mask = new CredentialMask();
  /** One for each entry. */
  readonly #records: JournalRecord[] = [];
  /** Polls hand out the same events again and again. */
  readonly #eventBytes = new WeakMap<HubEvent, number>();
  #bytes = 0;

  add(request: JournalEntry): JournalRecord {
    const { path, headers, body } = this.mask.request(request);
    const record = { entry: { ...request, path, headers, body: cut(body) }, bytes: 0, isKept: true };
    this.entries.push(record.entry);
    this.#records.push(record);
    this.#grow(record, bytesOf(record.entry));
    return record;
  }

  /** Completes an entry, which may have left already. */
  note(record: JournalRecord, outcome: Outcome): void {
    const { clientId = '', fault, events, acknowledged } = outcome;
    const ofEvents = events?.reduce((sum, event) => sum + this.#bytesOfEvent(event), 0) ?? 0;
    // More events than the journal has room for would leave nothing else in it.
    const left = ofEvents > MAX_BYTES / 2 ? { ...outcome, events: undefined } : outcome;
    Object.assign(record.entry, left);
    const bytes = FIELDS_BYTES + clientId.length * 6 + (left.events ? ofEvents : 0);
    this.#grow(record, bytes + (fault ? bytesOf(fault) : 0) + (acknowledged ? bytesOf(acknowledged) : 0));
  }

  clear(): void {
    this.entries.length = 0;
    for (const record of this.#records) record.isKept = false;
    this.#records.length = 0;
    this.#bytes = 0;
    this.mask.clear();
  }

  #grow(record: JournalRecord, bytes: number): void {
    if (!record.isKept) return;
    record.bytes += bytes;
    this.#bytes += bytes;
    while (this.entries.length > MAX_ENTRIES || this.#bytes > MAX_BYTES) {
      this.entries.shift();
      const oldest = this.#records.shift() as JournalRecord;
      oldest.isKept = false;
      this.#bytes -= oldest.bytes;
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

/** The names of the fields that one note adds, and its numbers. */
const FIELDS_BYTES = 80;

const bytesOf = (value: object) => Buffer.byteLength(JSON.stringify(value)) + 1;

function cut(body: string): string {
  const left = body.length - MAX_BODY_LENGTH;
  return left > 0 ? `${body.slice(0, MAX_BODY_LENGTH)}… [${left} characters cut]` : body;
}
