import type { EndpointName } from '../endpoints.js';
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
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
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
