import type { Issue } from '../errors.js';
import type { Order } from '../schemas/order.js';

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
export function conditionIssues(order: Order, reported: readonly Issue[]): Issue[] {
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
