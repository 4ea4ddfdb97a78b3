import type { EndpointName } from '../../../endpoints.js';
import type { Observed } from './observed.js';

/** What one check came to. */
export interface Verdict {
  /** `not_seen`: the examination had no response that could show it. */
  readonly result: 'as_described' | 'differs' | 'not_seen';
  /**
   * What this hub did, one sentence per line. It contains no text of the hub, only numbers, names of
   * the standard, and sentences of this program: a report is sent to others.
   */
  readonly did: readonly string[];
}

/** One row of the examination. */
export interface Check {
  /** Such as `token.lifetime`; it never changes, so that reports can be compared. */
  readonly id: string;
  readonly endpoint: EndpointName;
  /** Section of the spec, such as `§4.3`. */
  readonly section: string;
  /** What the check is about, for people. */
  readonly title: string;
  /** What the OpenDelivery standard v1.7.0 says. */
  readonly standard: string;
  /** What the spec of this hub says. */
  readonly spec: string;
  /** What the client makes of a hub that differs. */
  readonly client: string;
  examine(observed: Observed): Verdict;
}

export const asDescribed = (...did: readonly string[]): Verdict => ({ result: 'as_described', did });
export const differs = (...did: readonly string[]): Verdict => ({ result: 'differs', did });
export const notSeen = (why: string): Verdict => ({ result: 'not_seen', did: [why] });

export const NOTHING = 'says nothing';
