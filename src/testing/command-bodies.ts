import * as z from 'zod';
import { CANCELLATION_CODES, DENIAL_CODES } from '../orders/commands.js';
import { DISPATCH_EVENTS, PICKUP_EVENTS, PROBLEM_REASONS, VEHICLES } from '../orders/tracking.js';
import { parseInput } from './parse-input.js';

/** The bodies of commands, by the standard v1.7.1. A client may add fields. */

const dateTime = z.iso.datetime({ offset: true });
const url = z.string();
const optionalString = z.string().exactOptional();
const country = z
  .string()
  .regex(/^[A-Z]{2}$/)
  .exactOptional();
const itemIds = z.array(z.guid()).max(100).exactOptional();

const confirm = z.looseObject({
  reason: optionalString,
  createdAt: dateTime,
  orderExternalCode: z.string(),
  preparationTime: z.int().exactOptional(),
});

const requestCancellation = z.looseObject({
  reason: z.string(),
  code: z.enum(CANCELLATION_CODES),
  mode: z.enum(['AUTO', 'MANUAL']),
  outOfStockItems: itemIds,
  invalidItems: itemIds,
});

const denyCancellation = z.looseObject({
  reason: z.string(),
  code: z.enum(DENIAL_CODES),
});

const eta = {
  deliveryEtaInMinutes: z.int().exactOptional(),
  deliveryEtaDatetime: dateTime.exactOptional(),
  maxDeliveryTime: dateTime.exactOptional(),
};

/** `deliveryTrackingInfo`, without what differs between `dispatch` and `tracking`. */
const trackingInfo = {
  problem: z
    .looseObject({
      reason: z.enum(PROBLEM_REASONS),
      message: optionalString,
      datetime: dateTime,
    })
    .exactOptional(),
  vehicle: z
    .looseObject({
      type: z.array(z.enum(VEHICLES)).max(10),
      licencePlate: optionalString,
    })
    .exactOptional(),
  deliveryPerson: z
    .looseObject({ id: optionalString, name: optionalString, pictureURL: url.exactOptional() })
    .exactOptional(),
  externalTrackingURL: url.exactOptional(),
};

const eventOf = <const Types extends readonly string[]>(types: Types) =>
  z.looseObject({ type: z.enum(types), message: optionalString, datetime: dateTime }).exactOptional();

const dispatch = z.looseObject({
  deliveryTrackingInfo: z
    .looseObject({
      ...trackingInfo,
      event: eventOf(DISPATCH_EVENTS),
      eta: z.looseObject(eta).exactOptional(),
    })
    .exactOptional(),
});

const tracking = z.looseObject({
  deliveryTrackingInfo: z.looseObject({
    ...trackingInfo,
    event: eventOf([...PICKUP_EVENTS, ...DISPATCH_EVENTS]),
    eta: z
      .looseObject({
        ...eta,
        pickupEtaInMinutes: z.int().exactOptional(),
        pickupEtaDatetime: dateTime.exactOptional(),
      })
      .exactOptional(),
    geoLocalization: z
      .looseObject({
        latitude: z.number().exactOptional(),
        longitude: z.number().exactOptional(),
        lastAddress: z
          .looseObject({
            country,
            state: optionalString,
            city: optionalString,
            district: optionalString,
            street: optionalString,
            postalCode: optionalString,
            distanceToPickup: z.string(),
            distanceToDelivery: z.string(),
            timestamp: dateTime,
          })
          .exactOptional(),
      })
      .exactOptional(),
  }),
});

const details = z.looseObject({ preparationStartDateTime: dateTime.exactOptional() });

interface Body {
  readonly schema: z.ZodType;
  /** Whether the standard requires a body. */
  readonly isRequired: boolean;
}

export const COMMAND_BODIES: ReadonlyMap<string, Body> = new Map([
  ['confirm', { schema: confirm, isRequired: false }],
  ['dispatch', { schema: dispatch, isRequired: false }],
  ['tracking', { schema: tracking, isRequired: false }],
  ['details', { schema: details, isRequired: true }],
  ['requestCancellation', { schema: requestCancellation, isRequired: true }],
  ['denyCancellation', { schema: denyCancellation, isRequired: true }],
]);

/** The mistakes in the body of a command, one sentence each; undefined: there are none. */
export function mistakesInBody(command: string, text: string): string | undefined {
  const body = COMMAND_BODIES.get(command);
  if (!body || (text === '' && !body.isRequired)) return undefined;
  if (text === '') return 'the body is missing; it must be a JSON object';
  try {
    parseInput(body.schema, JSON.parse(text));
    return undefined;
  } catch (error) {
    if (error instanceof TypeError) return error.message;
    return 'the body is not valid JSON; it must be a JSON object';
  }
}
