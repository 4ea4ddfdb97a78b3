import { ENDPOINT_NAMES, type EndpointName } from '../hub/endpoints.js';

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

/** @throws {TypeError} the value is not a fault. */
export function toFault(fault: FaultLike): Fault {
  const expanded = expand(fault);
  const { type, status, ms } = expanded;
  checkType(type);
  if (type === 'status' && !(Number.isInteger(status) && Number(status) >= 200 && Number(status) <= 599)) {
    throw new TypeError(`a status fault needs a status from 200 to 599, not ${String(status)}`);
  }
  if (type === 'status') checkHeaders(expanded.headers);
  if (type === 'latency' && !(typeof ms === 'number' && ms >= 0)) {
    throw new TypeError(`a latency fault needs ms of at least 0, not ${String(ms)}`);
  }
  return expanded as unknown as Fault;
}

const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** @throws {TypeError} no response can have these headers. */
function checkHeaders(headers: unknown = {}): void {
  if (typeof headers !== 'object' || headers === null || Array.isArray(headers)) {
    throw new TypeError('headers must be an object of names and values');
  }
  for (const [name, value] of Object.entries(headers)) {
    if (HEADER_NAME.test(name) && HEADER_VALUE.test(String(value))) continue;
    throw new TypeError(
      `headers: '${name}' cannot be sent: look for a space or a line break in it or its value`,
    );
  }
}

/** The long form of a short form; an object without `type` if the value is neither. */
function expand(fault: unknown): Record<string, unknown> {
  if (typeof fault === 'number') return { type: 'status', status: fault };
  if (typeof fault === 'string') return { type: fault };
  if (typeof fault !== 'object' || fault === null) return {};
  return 'status' in fault ? { type: 'status', ...fault } : { ...fault };
}

/** @throws {TypeError} no fault has this type. */
export function checkType(type: unknown): void {
  if (FAULT_TYPES.includes(type as Fault['type'])) return;
  throw new TypeError(`'${String(type)}' is not a fault; the faults are ${FAULT_TYPES.join(', ')}`);
}

/** @throws {TypeError} no endpoint has this name. */
export function checkEndpoint(endpoint: unknown): void {
  if (ENDPOINT_NAMES.includes(endpoint as EndpointName)) return;
  throw new TypeError(
    `'${String(endpoint)}' is not an endpoint; the endpoints are ${ENDPOINT_NAMES.join(', ')}`,
  );
}
