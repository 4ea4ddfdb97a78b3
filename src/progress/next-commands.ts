import { ConfigurationError } from '../errors/index.js';
import { COMMAND_KINDS } from '../hub/order-kinds.js';
import type { FlaggedCommand } from '../hub/profile.js';
import { isFinalStage, type OrderStage } from '../schemas/event-types.js';
import type { Order } from '../schemas/order.js';
import { type NextCommandsOptions, resolveNextCommandsOptions } from './command-options.js';
import { checkPosition, type OrderPosition } from './read-progress.js';

/** The fields of an order that decide which commands it needs. */
export type CommandedOrder = Pick<
  Order,
  'type' | 'delivery' | 'sendPreparing' | 'sendPickedUp' | 'sendDelivered'
>;

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

/** When a command is possible: in these stages, or while a cancellation is in one of these states. */
type Possible =
  | { readonly stages: readonly OrderStage[] }
  | { readonly cancellations: readonly OrderPosition['cancellation'][] };

/** When each command is possible, in the order in which a person looks for them (field notes: the standard's lifecycle). */
const COMMANDS: Readonly<Record<NextCommand, Possible>> = {
  acceptCancellation: { cancellations: ['asked_by_hub'] },
  denyCancellation: { cancellations: ['asked_by_hub'] },
  confirm: { stages: ['CREATED'] },
  preparing: { stages: ['CONFIRMED'] },
  readyForPickup: { stages: ['CONFIRMED', 'PREPARING'] },
  dispatch: { stages: ['CONFIRMED', 'PREPARING', 'READY_FOR_PICKUP'] },
  pickedUp: { stages: ['READY_FOR_PICKUP'] },
  delivered: { stages: ['DISPATCHED', 'PICKED_UP'] },
  requestCancellation: { cancellations: ['none', 'denied'] },
};

const NAMES = Object.keys(COMMANDS) as readonly NextCommand[];

/** The flags by which an order asks for commands. The other commands are for every order of their kind. */
const FLAGS: Readonly<Record<FlaggedCommand, keyof CommandedOrder>> = {
  preparing: 'sendPreparing',
  pickedUp: 'sendPickedUp',
  delivered: 'sendDelivered',
};

/**
 * The commands that the store can send now: names of methods of `hub.orders`, the most
 * urgent first. Empty if the order is concluded or cancelled. If no command is left, or only
 * `requestCancellation`, the next step is the hub's.
 *
 * `dispatch` and `delivered` are only for a DELIVERY by the merchant, `pickedUp` is only for
 * a TAKEOUT. `preparing`, `pickedUp` and `delivered` are in the array if the order has the
 * flag (`sendPreparing`, `sendPickedUp`, `sendDelivered`), or if the profile requires them;
 * `optional` adds them to the orders without the flag, because the standard allows that.
 * Commands that do not move the order on (`tracking`, `validateCode`, `details`) are not in it.
 *
 * @param progress - what `orderProgress` returned; only `stage` and `cancellation` are read.
 * @param order - the order, as `hub.orders.get` returns it.
 * @param options - what to add, and the host.
 * @throws {ConfigurationError} `progress` is not a progress, `order` is not an object, or an option is unknown or invalid.
 * @see Spec §4.5
 *
 * @example
 * ```ts
 * const { order } = await hub.orders.get(orderId);
 * nextCommands(progress, order); // ['confirm', 'requestCancellation'] for a new order
 * nextCommands(progress, order, { profile }); // and what this host requires of every order
 * ```
 */
export function nextCommands(
  progress: OrderPosition,
  order: CommandedOrder,
  options: NextCommandsOptions = {},
): NextCommand[] {
  const position = checkPosition(progress);
  if (typeof order !== 'object' || order === null) {
    throw new ConfigurationError('order', 'must be the order that hub.orders.get returned');
  }
  const { optional, required } = resolveNextCommandsOptions(options);
  if (isFinalStage(position.stage)) return [];
  const isExpected = (name: NextCommand) =>
    !isFlagged(name) || optional || required.includes(name) || order[FLAGS[name]] === true;
  return NAMES.filter((name) => isPossible(name, position) && isOfKind(name, order) && isExpected(name));
}

const isFlagged = (name: NextCommand): name is FlaggedCommand => Object.hasOwn(FLAGS, name);

function isPossible(name: NextCommand, { stage, cancellation }: OrderPosition): boolean {
  const possible = COMMANDS[name];
  return 'stages' in possible
    ? possible.stages.includes(stage)
    : possible.cancellations.includes(cancellation);
}

/** A DELIVERY that does not say who delivers it counts as one by the merchant: a store must be able to finish it. */
function isOfKind(name: NextCommand, { type, delivery }: CommandedOrder): boolean {
  const kind = COMMAND_KINDS.get(name);
  if (!kind) return true;
  if (kind.type !== type) return false;
  return kind.deliveredBy === undefined || kind.deliveredBy === (delivery?.deliveredBy ?? 'MERCHANT');
}
