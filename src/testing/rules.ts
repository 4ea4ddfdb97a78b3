import type { EndpointName } from '../hub/endpoints.js';

/** A rule of the hub's spec that the client has broken. */
export interface Violation {
  /**
   * - `limit`: more requests than Spec §8 allows.
   * - `retry-after`: a request before the `Retry-After` of a 429 had passed.
   * - `acknowledgment-size`: more than 100 items in one acknowledgment (Spec §4.4).
   * - `acknowledgment-body`: the body is not an array of `{ id, orderId, eventType }`, or its values differ from
   *   those of the event (Spec §4.4).
   * - `content-type`: a request body of the wrong type.
   * - `unknown-path`: a method and path that the spec does not have.
   * - `event-filter`: a query string; the spec has no query parameters.
   * - `command-body`: the body of a command is not as in the standard v1.7.1; the switch `strictBodies` refuses it.
   * - `command-not-for-this-order`: a command that is for another kind of order, such as `delivered` for a TAKEOUT; a
   *   profile with `commands.refuseOthers` refuses it with 422.
   * - `host-header`: a header that the profile of the host requires is missing or wrong.
   * - `signature`: the signature that the profile of the host requires is missing or wrong.
   * - `polling-merchants`: more than 100 merchants in one poll.
   * - `unanswered-order`: an order got neither `confirm` nor `requestCancellation` within `unansweredAfterMs`.
   * - `unanswered-cancellation`: a cancellation request of the hub was not answered within `unansweredAfterMs`.
   */
  readonly rule:
    | 'limit'
    | 'retry-after'
    | 'acknowledgment-size'
    | 'acknowledgment-body'
    | 'content-type'
    | 'unknown-path'
    | 'event-filter'
    | 'command-body'
    | 'command-not-for-this-order'
    | 'host-header'
    | 'signature'
    | 'polling-merchants'
    | 'unanswered-order'
    | 'unanswered-cancellation';
  /** Undefined for `unknown-path`. */
  readonly endpoint: EndpointName | undefined;
  /** Epoch ms on the hub's clock; for an answer that is missing, when it was due. */
  readonly at: number;
  /** One sentence for people. */
  readonly message: string;
}
