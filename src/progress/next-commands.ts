import { ConfigurationError } from '../errors/index.js';
import { isFinalStage, type OrderStage } from '../schemas/event-types.js';
import type { Order } from '../schemas/order.js';
import { checkPosition } from './read-progress.js';
import type { OrderProgress } from './stored-progress.js';

/** The fields of an order that decide which commands it needs. */
export type CommandedOrder = Pick<
  Order,
  'type' | 'delivery' | 'sendPreparing' | 'sendPickedUp' | 'sendDelivered'
>;

/** What of a progress decides which commands are possible. */
export type OrderPosition = Pick<OrderProgress, 'stage' | 'cancellation'>;

/** A method of `hub.orders` that moves an order on, or asks for or answers a cancellation. */
export type NextCommand =
  | 'acceptCancellation'
  | 'denyCancellation'
  | 'confirm'
  | 'preparing'
  | 'readyForPickup'
  | 'dispatch'
  | 'pickedUp'
  | 'delivered'
  | 'requestCancellation';

type IsPossible = (position: OrderPosition, order: CommandedOrder) => boolean;

const at =
  (...stages: readonly OrderStage[]): IsPossible =>
  ({ stage }) =>
    stages.includes(stage);

const isAskedByHub: IsPossible = ({ cancellation }) => cancellation === 'asked_by_hub';

/**
 * When each command is possible, in the order in which a person looks for them.
 * The standard: a command with a flag is sent only if the order has the flag.
 */
const COMMANDS: Readonly<Record<NextCommand, IsPossible>> = {
  acceptCancellation: isAskedByHub,
  denyCancellation: isAskedByHub,
  confirm: at('CREATED'),
  preparing: (position, order) => at('CONFIRMED')(position, order) && order.sendPreparing === true,
  readyForPickup: at('CONFIRMED', 'PREPARING'),
  dispatch: (position, order) =>
    at('CONFIRMED', 'PREPARING', 'READY_FOR_PICKUP')(position, order) && order.type === 'DELIVERY',
  pickedUp: (position, order) =>
    at('READY_FOR_PICKUP')(position, order) && order.type === 'TAKEOUT' && order.sendPickedUp === true,
  // An order that the customer gets in the store is delivered where it is ready.
  delivered: (position, order) =>
    (at('DISPATCHED', 'PICKED_UP')(position, order) ||
      (at('READY_FOR_PICKUP')(position, order) && order.type !== 'DELIVERY')) &&
    order.delivery?.deliveredBy !== 'MARKETPLACE' &&
    order.sendDelivered === true,
  requestCancellation: ({ cancellation }) => cancellation === 'none' || cancellation === 'denied',
};

const NAMES = Object.keys(COMMANDS) as readonly NextCommand[];

/**
 * The commands that the store can send now: names of methods of `hub.orders`, the most
 * urgent first. Empty if the order is concluded or cancelled, or if only the hub can act.
 *
 * `preparing`, `pickedUp` and `delivered` are in it only if the order has the flag
 * (`sendPreparing`, `sendPickedUp`, `sendDelivered`), because a hub without the flag does not
 * expect them; `delivered` is left out if the marketplace delivers. Commands that do not move the order on
 * (`tracking`, `validateCode`, `details`) are not in it.
 *
 * @param progress - what `orderProgress` returned; only `stage` and `cancellation` are read.
 * @param order - the order, as `hub.orders.get` returns it.
 * @throws {ConfigurationError} `progress` is not a progress, or `order` is not an object.
 * @see Spec §4.5
 *
 * @example
 * ```ts
 * const { order } = await hub.orders.get(orderId);
 * nextCommands(progress, order); // ['confirm', 'requestCancellation'] for a new order
 * ```
 */
export function nextCommands(progress: OrderPosition, order: CommandedOrder): NextCommand[] {
  const position = checkPosition(progress);
  if (typeof order !== 'object' || order === null) {
    throw new ConfigurationError('order', 'must be the order that hub.orders.get returned');
  }
  if (isFinalStage(position.stage)) return [];
  return NAMES.filter((name) => COMMANDS[name](position, order));
}
