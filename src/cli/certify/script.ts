import type { EndpointName } from '../../hub/endpoints.js';
import type { NextCommand } from '../../progress/next-commands.js';
import type { Duration } from '../../testing/duration.js';
import type { FaultLike } from '../../testing/fault.js';
import type { Json } from '../../testing/fixtures.js';
import type { NewOrder } from '../../testing/mock-hub.js';
import type { Violation } from '../../testing/rules.js';
import type { DetailName } from './details.js';

/**
 * The vocabulary of a rehearsal. A script is data in `scripts/`, and one line in `scripts/index.ts`.
 *
 * - An **item** is one line of the host's list, with the host's number. It is passed when all its steps are.
 * - An item may have an **order**, which the script describes under this name; if it does not, it is `PLAIN`. The first
 *   item that names it creates it. Items of one order are played one after another, those of different orders at the same time.
 * - An item that is `alone` begins when all items before it have ended, and no later one begins before it has ended.
 *   A disturbance of the hub belongs into such an item.
 * - A **step** is an object, whose first key is its name:
 *
 * | step | what happens |
 * | --- | --- |
 * | `emit: 'CANCELLED'` | the hub emits an event for the order; `metadata`; `times` (default 1) |
 * | `redeliver: 'CREATED'` | the hub sends this event of the order again |
 * | `fault: 503, at: 'polling'` | the next request to an endpoint fails (any fault of `mock.faults.next`) |
 * | `revokeTokens: true` | when the last token is five minutes old, the hub forgets every token |
 * | `wait: '30s'` | time passes |
 * | `sends: 'confirm'` | expected: the application sends this command without being asked |
 * | `do: 'dispatch'` | a person, or `--drive`, is asked for this command; expected: the application sends it with `data` |
 * | `shows: ['total']` | expected: the application shows these details of the order (see `DETAILS`) |
 * | `hides: ['stageCancelled']` | expected: it does not show them |
 * | `acknowledges: true` | expected: every event of the order is acknowledged |
 * | `requests: 'polling'` | expected: a request to an endpoint that succeeds, after this step has begun |
 * | `atMost: 1, of: 'confirm'` | expected: at most this number of requests with this command of the order |
 * | `push: 'signed'` | the hub pushes an event; expected: one of the statuses in `answers` |
 * | `keeps: ['limit']` | expected: no rule of the mock hub with this name was broken since the beginning |
 * | `strikes: 0` | expected: at most this number of events came in a poll again because they were not acknowledged before it |
 * | `polls: 'apart'` | expected: at most two polls in a minute since the beginning |
 * | `pollsEach: '30s'` | expected: in the next 95 seconds, one poll follows another after this time, at most two seconds earlier or half of it later |
 * | `tokens: 2` | expected: at most this number of token requests since the beginning |
 * | `authorizes: true` | expected: a token was accepted before anything else was requested; what is refused because its token is of an earlier rehearsal does not count |
 * | `leaves: 'nothing pending'` | expected: no event is pending; `'nothing refused'`: no command was refused |
 */
export interface Script {
  /** The argument of `opendelivery certify`. */
  readonly name: string;
  readonly title: Text;
  /** The document that has the list, and its date. */
  readonly source: Text;
  /** The profile of the host that the mock hub imitates; absent: the standard and the spec. */
  readonly host?: string;
  readonly orders: Readonly<Record<string, OrderData>>;
  readonly items: readonly Item[];
  /** Items of the host's list that no mock hub can see, with the reason. */
  readonly notTestable: readonly NotTestable[];
}

/** A text for people, in the languages of the report. */
export interface Text {
  readonly en: string;
  readonly pt: string;
}

interface NotTestable {
  readonly id: string;
  readonly title: Text;
  readonly reason: Text;
}

export interface Item {
  /** The number in the host's list, with a letter if we divide it. */
  readonly id: string;
  /** In the words of the host. */
  readonly title: Text;
  readonly order?: string;
  readonly alone?: true;
  readonly steps: readonly Step[];
}

/** An item, with its title in both languages. */
export const item = (
  what: Omit<Item, 'title' | 'steps'>,
  en: string,
  pt: string,
  steps: readonly Step[],
): Item => ({ ...what, title: { en, pt }, steps });

/** An item that is not testable here, with its title and the reason in both languages. */
export const notTestable = (
  id: string,
  en: string,
  pt: string,
  reasonEn: string,
  reasonPt: string,
): NotTestable => ({ id, title: { en, pt }, reason: { en: reasonEn, pt: reasonPt } });

/**
 * What `createOrder` takes, laid over the order of the mock hub field by field. An array replaces an array.
 * `{ day: 2, at: '15:47' }` becomes the instant at this time of the day after tomorrow, in UTC.
 */
export type OrderData = Pick<NewOrder, 'type' | 'orderTiming' | 'deliveredBy' | 'include'> & {
  readonly document?: object;
};

export interface Steps {
  readonly emit: { readonly emit: string; readonly metadata?: Json; readonly times?: number };
  readonly redeliver: { readonly redeliver: string };
  readonly fault: { readonly fault: FaultLike; readonly at: EndpointName };
  readonly revokeTokens: { readonly revokeTokens: true };
  readonly wait: { readonly wait: Duration };
  readonly sends: { readonly sends: NextCommand };
  readonly do: { readonly do: NextCommand; readonly data?: Json };
  readonly shows: { readonly shows: readonly DetailName[] };
  readonly hides: { readonly hides: readonly DetailName[] };
  readonly acknowledges: { readonly acknowledges: true };
  readonly requests: { readonly requests: EndpointName };
  readonly atMost: { readonly atMost: number; readonly of: NextCommand };
  readonly push: {
    /** `unsigned`: without the signature; `forged`: with a wrong one; `other shop`: for a shop that nobody knows. */
    readonly push: 'signed' | 'unsigned' | 'forged' | 'other shop';
    readonly answers: readonly number[];
  };
  readonly keeps: { readonly keeps: readonly Violation['rule'][] };
  readonly strikes: { readonly strikes: number };
  readonly polls: { readonly polls: 'apart' };
  readonly pollsEach: { readonly pollsEach: Duration };
  readonly tokens: { readonly tokens: number };
  readonly authorizes: { readonly authorizes: true };
  readonly leaves: { readonly leaves: 'nothing pending' | 'nothing refused' };
}

export type StepName = keyof Steps;
export type Step = Steps[StepName];
