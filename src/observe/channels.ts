import { tracingChannel } from 'node:diagnostics_channel';
import type { EndpointName } from '../hub/endpoints.js';
import type { Trace } from './operation.js';

/** Where requests are sent. */
export interface ServerTrace extends Trace {
  /** The host name, or the IP address, of the hub. */
  readonly serverAddress: string;
  /** Its port; that of the scheme, if the URL has none. */
  readonly serverPort: number;
}

/** One HTTP exchange, on the channel `opendelivery:request`. It failed if no complete 2xx response came. */
export interface RequestTrace extends ServerTrace {
  /** The endpoint. */
  readonly endpoint: EndpointName;
  /** The path of the endpoint below the base path, with placeholders, such as `/v1/orders/{orderId}`. */
  readonly path: string;
  /** HTTP method. */
  readonly method: string;
  /** The number of the attempt, from 1. */
  readonly attempt: number;
  /** HTTP status, when the response is complete. */
  status?: number;
}

/** One poll, until its events are received, on the channel `opendelivery:poll`. */
export interface PollTrace extends ServerTrace {
  /**
   * How much later than it was due the request was sent, in ms; 0 for a first poll. Not set if no request was sent,
   * because no slot was free, there is no token, or another process has the store's lease.
   */
  lateMs?: number;
  /** The ids of the received events, also of those that were received before. */
  eventIds?: readonly string[];
  /** How many issues the response has. */
  issues?: number;
}

/**
 * One call of an event's listeners, on the channel `opendelivery:listener`. It
 * ends when the poller does not wait any longer: when all listeners have
 * settled, at `listenerTimeoutMs`, or when the poller stops or loses its lease.
 */
export interface ListenerTrace extends Trace {
  /** The id of the event, in an array as in the other contexts. */
  readonly eventIds: readonly string[];
  /** The order. */
  readonly orderId: string;
  /** The type of the event. */
  readonly eventType: string;
  /** How often the listeners were called for the event, from 1. */
  readonly attempt: number;
  /** Whether the hub sent the event before. */
  readonly redelivered: boolean;
  /** Whether the listeners are those of `deadLetter`. */
  readonly deadLetter: boolean;
}

/**
 * One batch of at most 100 acknowledgments, on the channel
 * `opendelivery:acknowledge`. It failed if the hub did not confirm all of it.
 */
export interface AcknowledgeTrace extends ServerTrace {
  /** The ids of the events. */
  readonly eventIds: readonly string[];
  /** How many of them the hub has confirmed. */
  acknowledged?: number;
}

/** One renewal of the token, on the channel `opendelivery:token`. */
export interface TokenTrace extends Trace {
  /** Whether the present token is still valid, and no caller waits. */
  readonly background: boolean;
  /** When the new token expires, in epoch ms. */
  expiresAt?: number;
}

/** The context of each tracing channel. */
export interface Traces {
  /** One HTTP exchange. */
  readonly 'opendelivery:request': RequestTrace;
  /** One poll. */
  readonly 'opendelivery:poll': PollTrace;
  /** One call of an event's listeners. */
  readonly 'opendelivery:listener': ListenerTrace;
  /** One batch of acknowledgments. */
  readonly 'opendelivery:acknowledge': AcknowledgeTrace;
  /** One renewal of the token. */
  readonly 'opendelivery:token': TokenTrace;
}

const channelOf = <Name extends keyof Traces>(name: Name) => tracingChannel<unknown, Traces[Name]>(name);

export const REQUEST = /* @__PURE__ */ channelOf('opendelivery:request');
export const POLL = /* @__PURE__ */ channelOf('opendelivery:poll');
export const LISTENER = /* @__PURE__ */ channelOf('opendelivery:listener');
export const ACKNOWLEDGE = /* @__PURE__ */ channelOf('opendelivery:acknowledge');
export const TOKEN = /* @__PURE__ */ channelOf('opendelivery:token');
