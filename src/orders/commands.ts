/** The `{status}` of Spec §4.5, as the standard names them; a hub may have others. */
export type OrderStatusCommand =
  | 'confirm'
  | 'preparing'
  | 'readyForPickup'
  | 'dispatch'
  | 'pickedUp'
  | 'delivered'
  | 'requestCancellation'
  | 'acceptCancellation'
  | 'denyCancellation'
  | 'tracking'
  | (string & {});

/** What became of a command that the hub did not refuse. */
export interface CommandResult {
  /**
   * false: the hub has accepted the command. true: the hub refused it with 422, because the order was already there, e.g.
   * because an earlier run of the listener had sent the command. Only the event shows that the order has changed.
   */
  readonly alreadyThere: boolean;
}

/** What the hub says about a delivery code. */
export interface CodeValidation {
  /** Whether it is the code of the order. */
  readonly valid: boolean;
  /** Why the code is not valid, in the hub's words. Absent: it is valid. */
  readonly reason?: string;
}

/** Body of `details` in the standard. */
export interface OrderDetailsUpdate {
  /** When the preparation begins, as an ISO 8601 date-time. */
  readonly preparationStartDateTime?: string | undefined;
}

/** Body of `confirm` in the standard, which requires `createdAt` and `orderExternalCode`. */
export interface OrderConfirmation {
  /** Free text. */
  readonly reason?: string | undefined;
  /**
   * When the order was created, as an ISO 8601 date-time. The standard means the order's own `createdAt`, which
   * `orders.get` returns. Default: the time of this call, by the client's clock.
   */
  readonly createdAt?: string | undefined;
  /** The order's id in your system. Default: `orderId`. */
  readonly orderExternalCode?: string | undefined;
  /** How long the preparation takes, in minutes. */
  readonly preparationTime?: number | undefined;
}

/** The reasons of the standard for which a store may request a cancellation. */
export const CANCELLATION_CODES = [
  'SYSTEMIC_ISSUES',
  'DUPLICATE_APPLICATION',
  'UNAVAILABLE_ITEM',
  'RESTAURANT_WITHOUT_DELIVERY_PERSON',
  'OUTDATED_MENU',
  'ORDER_OUTSIDE_THE_DELIVERY_AREA',
  'BLOCKED_CUSTOMER',
  'OUTSIDE_DELIVERY_HOURS',
  'INTERNAL_DIFFICULTIES_OF_THE_RESTAURANT',
  'RISK_AREA',
  'DELIVERY_PROBLEM',
] as const;

/** Body of `requestCancellation` in the standard. */
export interface CancellationRequest {
  /** Free text for the customer and the hub. */
  readonly reason: string;
  /** The standard's code of the reason. */
  readonly code: (typeof CANCELLATION_CODES)[number] | (string & {});
  /** Whether your system (`AUTO`) or a person (`MANUAL`) requests it. */
  readonly mode: 'AUTO' | 'MANUAL' | (string & {});
  /** Ids of the items that are out of stock, at most 100. */
  readonly outOfStockItems?: readonly string[] | undefined;
  /** Ids of the items that are invalid, at most 100. */
  readonly invalidItems?: readonly string[] | undefined;
}

/** The reasons of the standard for which a store may deny a cancellation. */
export const DENIAL_CODES = ['DISH_ALREADY_DONE', 'OUT_FOR_DELIVERY'] as const;

/** Body of `denyCancellation` in the standard. */
export interface CancellationDenial {
  /** Free text for the customer and the hub. */
  readonly reason: string;
  /** The standard's code of the reason. */
  readonly code: (typeof DENIAL_CODES)[number] | (string & {});
}
