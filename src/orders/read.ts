import { InvalidResponseError, type Issue } from '../errors/index.js';
import { type HubResponse, readJson } from '../http/body.js';
import { type CallOptions, callOptionsCheck } from '../http/call-options.js';
import { lenientReader } from '../reading/fields.js';
import { order as orderReader } from '../reading/generated/order.js';
import { type SentIndices, sentPath } from '../reading/issue-collector.js';
import { isObject } from '../reading/json.js';
import { canonicalEventType } from '../schemas/event-types.js';
import type { OrderItem } from '../schemas/order/item.js';
import type { Order } from '../schemas/order.js';
import type { StandardSchema } from '../schemas/standard-schema.js';
import { totalIssues } from './totals.js';

/** The limits of one call, and who reads the order. */
export type GetOrderOptions = CallOptions & {
  /** Validates the order in the place of the client; it decides what `order` is. */
  readonly schema?: StandardSchema<unknown>;
};

export const checkOrderOptions = callOptionsCheck<GetOrderOptions>('schema');

/** The error of a response with none of these keys says that it is not an order; an empty order would say nothing. */
const readOrder = lenientReader<Order>(orderReader, ['id', 'displayId', 'items', 'total']);

/** @throws {InvalidResponseError} the response is not an order. */
export function readLeniently(response: HubResponse): { order: Order; issues: readonly Issue[] } {
  const reading = readOrder(readJson('order', response));
  if (reading.usable) {
    const { value: order, issues, indices } = reading;
    // As the type of an event: a listener compares both.
    const { lastEvent } = order;
    if (lastEvent !== undefined) Object.assign(order, { lastEvent: canonicalEventType(lastEvent) });
    if (isOfVersion2(order)) return { order, issues: [OTHER_VERSION, ...issues.filter(isOfAnyVersion)] };
    return { order, issues: [...issues, ...conditionIssues(order, issues, indices), ...totalIssues(order)] };
  }
  const { issues } = reading;
  const [first] = issues;
  const why = first ? `: ${[first.path.join('.'), first.message].filter(Boolean).join(': ')}` : '';
  throw new InvalidResponseError('order', `the response is not a usable order${why}`, { issues });
}

/**
 * @param quote - masks secrets in the keys of the document, and cuts them.
 * @throws {InvalidResponseError} the application's schema refused the order. */
export async function readWithSchema(
  schema: StandardSchema<unknown>,
  response: HubResponse,
  quote: (text: string) => string,
): Promise<{ order: unknown; issues: readonly Issue[] }> {
  const result = await schema['~standard'].validate(readJson('order', response));
  if (!result.issues) return { order: result.value, issues: [] };
  const keyOf = (key: PropertyKey) => (typeof key === 'number' ? key : quote(String(key)));
  const issues = result.issues.map(({ path = [] }) => ({
    path: path.map((key) => keyOf(typeof key === 'object' ? key.key : key)),
    code: 'schema',
    // Not the schema's own message: many libraries quote the value.
    message: 'refused by your schema',
    against: 'sense' as const,
  }));
  const first = issues[0]?.path.join('.');
  throw new InvalidResponseError('order', `your schema refused the order${first ? ` at ${first}` : ''}`, {
    issues,
  });
}

const OTHER_VERSION: Issue = {
  path: [],
  code: 'other_version',
  message:
    'an order of OpenDelivery v2; this client reads v1, so only the fields that both have are read. ' +
    'Pass a `schema` to orders.get, or ask the hub for v1',
  against: 'standard',
};

/** Whether the order has the shape of version 2: two of three parts are where v2 has them, and not where v1 has them. */
function isOfVersion2(order: Order & { fulfillment?: unknown; timing?: unknown }): boolean {
  const { type, orderTiming, items, fulfillment, timing } = order;
  const parts = [
    type === undefined && isObject(fulfillment),
    orderTiming === undefined && isObject(timing),
    items.some((item: OrderItem & { pricing?: unknown }) => !item.unitPrice && isObject(item.pricing)),
  ];
  return parts.filter(Boolean).length >= 2;
}

/** Whether the issue is of a value that was changed, and not of what v1 requires or lists. */
const isOfAnyVersion = ({ code }: Issue) => !['missing', 'defaulted', 'unknown_value'].includes(code);

/**
 * What the standard requires under a condition: the field, and which value of another one requires it. `of`: where both
 * are. What it requires of parts of an order is written in descriptions only: a document without it fits the schema.
 */
const CONDITIONS: ReadonlyArray<{
  readonly of: readonly string[];
  readonly requires: string;
  readonly field: string;
  readonly is: string;
}> = [
  { of: [], requires: 'customer', field: 'type', is: 'DELIVERY' },
  { of: [], requires: 'delivery', field: 'type', is: 'DELIVERY' },
  { of: [], requires: 'takeout', field: 'type', is: 'TAKEOUT' },
  { of: [], requires: 'indoor', field: 'type', is: 'INDOOR' },
  { of: [], requires: 'schedule', field: 'orderTiming', is: 'SCHEDULED' },
  { of: ['indoor'], requires: 'place', field: 'mode', is: 'PLACE' },
  { of: ['indoor'], requires: 'tab', field: 'mode', is: 'TAB' },
  { of: ['otherFees'], requires: 'receiverDocument', field: 'receivedBy', is: 'MARKETPLACE' },
  { of: ['discounts'], requires: 'targetId', field: 'target', is: 'ITEM' },
  { of: ['payments', 'methods'], requires: 'changeFor', field: 'method', is: 'CASH' },
];

/**
 * The fields that the order lacks although another field requires them.
 *
 * @param reported - issues of the order. A field that has one, because it is null or unusable, is not reported again.
 */
function conditionIssues(order: Order, reported: readonly Issue[], indices: SentIndices): Issue[] {
  const known = new Set(reported.map(({ path }) => path.join('.')));
  return CONDITIONS.flatMap(({ of, requires, field, is }) =>
    objectsAt(order, of)
      .filter(({ object }) => object[field] === is && object[requires] === undefined)
      .map(({ path }): Issue => {
        const message = `absent; required if ${field} is ${is}`;
        const against = of.length === 0 ? 'standard' : 'sense';
        return { path: sentPath([...path, requires], indices), code: 'missing', message, against };
      }),
  ).filter(({ path }) => !known.has(path.join('.')));
}

/** The objects under the keys, each with its path. A list on the way stands for all its elements. */
function objectsAt(
  value: unknown,
  keys: readonly string[],
  path: Issue['path'] = [],
): { readonly object: Readonly<Record<string, unknown>>; readonly path: Issue['path'] }[] {
  if (Array.isArray(value)) return value.flatMap((each, index) => objectsAt(each, keys, [...path, index]));
  if (!isObject(value)) return [];
  const [key, ...others] = keys;
  return key === undefined ? [{ object: value, path }] : objectsAt(value[key], others, [...path, key]);
}
