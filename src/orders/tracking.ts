import type { Coordinates } from '../schemas/common.js';

export const DISPATCH_EVENTS = [
  'DELIVERY_ONGOING',
  'ARRIVED_AT_CUSTOMER',
  'ORDER_DELIVERED',
  'CANCELLED',
] as const;
export const PICKUP_EVENTS = ['PICKUP_ONGOING', 'ARRIVED_AT_MERCHANT', 'ORDER_PICKED'] as const;

/** What happened to a delivery, in the body of `dispatch`. */
export type DispatchEventType = 'DELIVERY_ONGOING' | 'ARRIVED_AT_CUSTOMER' | 'ORDER_DELIVERED' | 'CANCELLED';

/** What happened to a delivery, in the body of `tracking`. */
export type TrackingEventType = DispatchEventType | 'PICKUP_ONGOING' | 'ARRIVED_AT_MERCHANT' | 'ORDER_PICKED';

/** The last event of a delivery in the standard. */
export interface DeliveryEvent<Type extends string = TrackingEventType> {
  /** What happened. */
  readonly type: Type | (string & {});
  /** Details as free text. */
  readonly message?: string | undefined;
  /** When it happened, as an ISO 8601 date-time. */
  readonly datetime: string;
}

export const PROBLEM_REASONS = [
  'DELIVERYPERSON_OCCURRENCE',
  'PAYMENT_PROBLEMS',
  'WRONG_PRODUCT_OR_ITEM',
  'ORDER_DELAYED',
  'ORDER_DAMAGED_OR_VIOLATED',
  'CUSTOMER_DID_NOT_PLACE_ORDER',
  'CUSTOMER_ADDRESS_UNKNOWN',
  'ORDER_MISSING_ITEMS',
  'NOBODY_TO_RECEIVE',
  'DELIVERYPERSON_WAITING_PAYMENT_FOR_ALREADY_PAID_ORDER',
  'ORDER_DELIVERED_WITHOUT_PAYMENT',
  'FRAUD_OR_THEFT',
] as const;

/** The last problem of a delivery in the standard. */
export interface DeliveryProblem {
  /** The standard's code of the problem. */
  readonly reason: (typeof PROBLEM_REASONS)[number] | (string & {});
  /** Details as free text. */
  readonly message?: string | undefined;
  /** When it happened, as an ISO 8601 date-time. */
  readonly datetime: string;
}

export const VEHICLES = ['MOTORBIKE_BAG', 'MOTORBIKE_BOX', 'CAR', 'BICYCLE', 'SCOOTER', 'VUC'] as const;

/** The vehicle of a delivery in the standard. */
export interface DeliveryVehicle {
  /** The kinds of vehicle, at most 10. */
  readonly type: ReadonlyArray<(typeof VEHICLES)[number] | (string & {})>;
  /** The licence plate. */
  readonly licencePlate?: string | undefined;
}

/** When the order will be at the customer's. */
export interface DeliveryEta {
  /** Minutes until the courier is at the customer's address. */
  readonly deliveryEtaInMinutes?: number | undefined;
  /** When the courier will be at the customer's address, as an ISO 8601 date-time. */
  readonly deliveryEtaDatetime?: string | undefined;
  /** The latest time of the delivery, as an ISO 8601 date-time. */
  readonly maxDeliveryTime?: string | undefined;
}

/** When the courier will be at the store and at the customer's. */
export interface TrackingEta extends DeliveryEta {
  /** Minutes until the courier is at the store. */
  readonly pickupEtaInMinutes?: number | undefined;
  /** When the courier will be at the store, as an ISO 8601 date-time. */
  readonly pickupEtaDatetime?: string | undefined;
}

/** The person who delivers an order. This is personal data. */
export interface DeliveryPerson {
  /** The courier's id. */
  readonly id?: string | undefined;
  /** The courier's name. */
  readonly name?: string | undefined;
  /** The URL of a photo. Data protection law may forbid it. */
  readonly pictureURL?: string | undefined;
}

/** Where the courier is. This is personal data. */
export interface CourierLocation extends Partial<Coordinates> {
  /** The last known address. */
  readonly lastAddress?: {
    /** Two-letter ISO 3166-1 code. */
    readonly country?: string | undefined;
    /** State. */
    readonly state?: string | undefined;
    /** City. */
    readonly city?: string | undefined;
    /** Neighborhood. */
    readonly district?: string | undefined;
    /** Street. */
    readonly street?: string | undefined;
    /** Postal code. */
    readonly postalCode?: string | undefined;
    /** Meters to the store; the standard has a string here. */
    readonly distanceToPickup: string;
    /** Meters to the customer; the standard has a string here. */
    readonly distanceToDelivery: string;
    /** When the courier was there, as an ISO 8601 date-time. */
    readonly timestamp: string;
  };
}

/** What `dispatch` and `tracking` both report of a delivery. */
export interface DeliveryReport<Event extends string, Eta> {
  /** The last event of the delivery. */
  readonly event?: DeliveryEvent<Event> | undefined;
  /** The last problem of the delivery. */
  readonly problem?: DeliveryProblem | undefined;
  /** What the courier drives. */
  readonly vehicle?: DeliveryVehicle | undefined;
  /** When the courier will arrive. */
  readonly eta?: Eta | undefined;
  /** Who delivers. */
  readonly deliveryPerson?: DeliveryPerson | undefined;
  /** A page on which the customer can follow the delivery. */
  readonly externalTrackingURL?: string | undefined;
}

/** Body of `dispatch` in the standard. */
export interface OrderDispatch {
  /** What is known of the delivery. */
  readonly deliveryTrackingInfo?: DeliveryReport<DispatchEventType, DeliveryEta> | undefined;
}

/** Body of `tracking` in the standard. */
export interface OrderTracking {
  /** What is known of the delivery now. */
  readonly deliveryTrackingInfo: DeliveryReport<TrackingEventType, TrackingEta> & {
    /** Where the courier is. */
    readonly geoLocalization?: CourierLocation | undefined;
  };
}
