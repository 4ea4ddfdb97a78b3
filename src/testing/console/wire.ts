import type { EndpointName } from '../../hub/endpoints.js';
import type { Fault } from '../fault.js';
import type { Violation } from '../rules.js';
import type { RehearsalItem } from './rehearsal.js';

/** What the server and the page of the console exchange. This file has no code, so both can import it. */

/** The hub's clock at the moment of a message. */
export interface WireTime {
  /** Epoch ms. */
  readonly now: number;
  readonly monotonic: number;
  /** How fast it runs: 1 for real time, 0 for a clock that only tests move. */
  readonly speed: number;
  /** What a person can do with it. */
  readonly kind: 'system' | 'scaled' | 'manual';
}

export interface WireStore {
  readonly clientId: string;
  readonly name: string;
  /** Orders that are neither concluded nor cancelled. */
  readonly open: number;
  /** Orders and cancellation requests without an answer. */
  readonly waiting: number;
  /** Events that are not acknowledged. */
  readonly pending: number;
}

export interface WireFault {
  readonly endpoint: EndpointName;
  readonly fault: Fault;
  readonly times: number;
  /** Undefined: of all stores. */
  readonly clientId?: string | undefined;
}

/** What every section shows. */
export interface WireSummary {
  readonly stores: readonly WireStore[];
  /** In the journal: without those before a reset, and at most 10,000. */
  readonly requests: number;
  readonly violations: number;
  /** Absent: no rehearsal is played here. */
  readonly rehearsal?: { readonly ended: number; readonly total: number };
  readonly faults: {
    readonly next: readonly WireFault[];
    readonly random?: {
      readonly seed: string;
      readonly rate: number;
      readonly clientId?: string | undefined;
    };
  };
}

/** A row of a section. `key` is its identity; rows are shown by `rank`, the greatest first. */
export interface WireRow {
  readonly key: string;
  readonly rank: number;
}

/** One message of the stream. The first one of a connection contains everything. */
export interface WireMessage {
  readonly time: WireTime;
  /** Absent: it has not changed. */
  readonly summary?: WireSummary;
  /** What a section shows beside its rows. Absent: it has not changed. */
  readonly about?: WireAbout;
  /** New rows, and rows that have changed. */
  readonly set?: readonly WireRow[];
  /** Keys of rows that are not shown any more. */
  readonly gone?: readonly string[];
}

/** The number of rows without the limit of the window, and what only some sections have. */
export interface WireAbout {
  readonly total: number;
  readonly [key: string]: unknown;
}

export interface EventRow extends WireRow {
  readonly clientId: string;
  readonly eventId: string;
  readonly eventType: string;
  readonly orderId: string;
  readonly displayId?: string | undefined;
  readonly emittedAt: number;
  readonly delivered?: { readonly at: number; readonly times: number } | undefined;
  readonly acknowledgedAt?: number | undefined;
  readonly isPending: boolean;
  /** Its acknowledgment gets 400. */
  readonly isRefused: boolean;
  /** The latest try to push it. */
  readonly pushed?: WirePush | undefined;
}

export interface WirePush {
  /** Epoch ms. */
  readonly at: number;
  /** From 1. */
  readonly attempt: number;
  /** Absent: no response. */
  readonly status?: number | undefined;
}

/** Where events are pushed now. */
export interface WirePushing {
  readonly target: string;
  /** The client ids of the stores whose events are pushed. */
  readonly stores: readonly string[];
}

export interface RequestRow extends WireRow {
  readonly number: number;
  readonly at: number;
  readonly endpoint?: EndpointName | undefined;
  readonly method: string;
  readonly path: string;
  readonly clientId?: string | undefined;
  readonly status?: number | undefined;
  readonly durationMs?: number | undefined;
  readonly fault?: string | undefined;
  readonly events?: number | undefined;
  readonly acknowledged?: number | undefined;
  /** The rules that it has broken. */
  readonly broken?: readonly string[] | undefined;
}

export interface ViolationRow extends WireRow, Violation {
  /** The request that broke the rule, if the journal still has it. */
  readonly request?: number | undefined;
  readonly path?: string | undefined;
  readonly method?: string | undefined;
  /** The order whose answer is missing. */
  readonly orderId?: string | undefined;
  /** Absent: the request has the credentials of no store. */
  readonly clientId?: string | undefined;
}

export interface LimitRow extends WireRow {
  readonly clientId: string;
  readonly endpoint: EndpointName;
  readonly limit: number;
  readonly windowMs: number;
  /** When the requests in the window arrived, in monotonic ms. */
  readonly times: readonly number[];
  /** With fixed windows, all slots become free at this time; monotonic ms. */
  readonly resetsAt?: number | undefined;
  /** A 429 asked the application to wait until this time, in monotonic ms. */
  readonly blockedUntil?: number | undefined;
}

export interface TokenRow extends WireRow {
  readonly clientId: string;
  /** Such as `[token 2]`. */
  readonly token: string;
  readonly expiresAt: number;
}

export interface MenuRow extends WireRow {
  readonly clientId: string;
  readonly service: string;
  readonly category: string;
  readonly offerId: string;
  readonly name: string;
  readonly description: string;
  readonly price: number | undefined;
  readonly originalPrice: number | undefined;
  readonly currency: string;
  readonly status: string;
  /** Why customers cannot order it now; absent: they can. */
  readonly unavailable?: string;
  readonly options: readonly string[];
}

export interface WireIssue {
  readonly path: string;
  readonly code: string;
  readonly message: string;
  readonly against: string;
}

export interface StepRow extends WireRow {
  readonly atMs: number;
  readonly request: string;
  /** The start of the body, as JSON. */
  readonly body: string;
}

export interface RehearsalItemRow extends WireRow, RehearsalItem {}
