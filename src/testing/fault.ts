/**
 * What goes wrong with one request.
 *
 * - `status`: the hub sends this response and processes nothing. A body that is
 *   not a string is sent as JSON.
 * - `latency`: the response takes `ms` longer.
 * - `reset`: the connection breaks; the hub processes nothing.
 * - `lost`: the hub processes the request, then the connection breaks.
 * - `hang`: the hub never responds.
 * - `truncate`: the connection breaks after half of the body.
 * - `malformed`: half of the body is sent as if it were complete.
 * - `dribble`: the body arrives at one byte per second.
 * - `duplicate`: a poll contains every event twice.
 * - `reorder`: a poll contains its events in another order.
 */
export type Fault =
  | ({
      /** A response that replaces the hub's own. */
      readonly type: 'status';
    } & StatusFault)
  | {
      /** A slow response. */
      readonly type: 'latency';
      /** How much longer the response takes, in ms. */
      readonly ms: number;
    }
  | {
      /** A fault without parameters. */
      readonly type: SimpleFault;
    };

/** A response that replaces the hub's own. */
export interface StatusFault {
  /** 200 to 599. */
  readonly status: number;
  /** Response headers. Default: none. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** A string is sent as HTML, any other value as JSON. */
  readonly body?: unknown;
}

/** A fault, or a short form of it: the name of a simple fault, a status number, or a response. */
export type FaultLike = Fault | SimpleFault | StatusFault | number;

export const SIMPLE_FAULTS = [
  'reset',
  'lost',
  'hang',
  'truncate',
  'malformed',
  'dribble',
  'duplicate',
  'reorder',
] as const;

/** A fault without parameters; see `Fault`. */
export type SimpleFault = (typeof SIMPLE_FAULTS)[number];

export const FAULT_TYPES: ReadonlyArray<Fault['type']> = [...SIMPLE_FAULTS, 'status', 'latency'];
