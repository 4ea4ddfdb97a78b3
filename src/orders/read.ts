import { InvalidResponseError, type Issue } from '../errors/index.js';
import { type HubResponse, readJson } from '../http/body.js';
import { type CallOptions, callOptionsCheck } from '../http/call-options.js';
import { lenientReader } from '../reading/fields.js';
import { order as orderReader } from '../reading/generated/order.js';
import { isObject } from '../reading/json.js';
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
    const { value: order, issues } = reading;
    if (isOfVersion2(order)) return { order, issues: [OTHER_VERSION, ...issues.filter(isOfAnyVersion)] };
    return { order, issues: [...issues, ...conditionIssues(order, issues), ...totalIssues(order)] };
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

/** What the standard marks as "REQUIRED if" in the schema of an order: the field, and the value that requires it. */
const CONDITIONS: ReadonlyArray<{
  readonly requires: keyof Order;
  readonly field: 'type' | 'orderTiming';
  readonly is: string;
}> = [
  { requires: 'customer', field: 'type', is: 'DELIVERY' },
  { requires: 'delivery', field: 'type', is: 'DELIVERY' },
  { requires: 'takeout', field: 'type', is: 'TAKEOUT' },
  { requires: 'indoor', field: 'type', is: 'INDOOR' },
  { requires: 'schedule', field: 'orderTiming', is: 'SCHEDULED' },
];

/**
 * The fields that the order lacks although its type or timing requires them.
 *
 * @param reported - issues of the order. A field that has one, because it is null or unusable, is not reported again.
 */
function conditionIssues(order: Order, reported: readonly Issue[]): Issue[] {
  return CONDITIONS.filter(
    ({ requires, field, is }) =>
      order[field] === is &&
      order[requires] === undefined &&
      !reported.some(({ path }) => path.length === 1 && path[0] === requires),
  ).map(({ requires, field, is }) => ({
    path: [requires],
    code: 'missing',
    message: `absent; required if ${field} is ${is}`,
    against: 'standard',
  }));
}
