import type {
  Availability,
  BasicInfo,
  Category,
  DeepReadonly,
  Item,
  ItemOffer,
  MenuEntry,
  Merchant,
  Offer,
  Option,
  OptionGroup,
  Order,
  OrderEvent,
  Service,
  ServiceArea,
  ServiceHours,
  TokenResponse,
} from 'opendelivery-client';
import {
  availabilitySchema,
  basicInfoSchema,
  categorySchema,
  eventSchema,
  itemOfferSchema,
  itemSchema,
  menuSchema,
  merchantSchema,
  optionGroupSchema,
  optionSchema,
  orderSchema,
  serviceAreaSchema,
  serviceHoursSchema,
  serviceSchema,
  tokenResponseSchema,
} from 'opendelivery-client/schemas';
import { describe, expect, it } from 'vitest';
import type * as z from 'zod';

/** True if both types have the same keys, optionality, readonly and value types at every depth. */
type Identical<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2
    ? // The comparison above does not distinguish `a?: string` from `a?: string | undefined`.
      [A, B] extends [B, A]
      ? true
      : false
    : false;

/** Compiles only with `Named` written out exactly as the schema's output, deeply readonly. The check is `tsc --noEmit`. */
function describes<Named>() {
  return <Schema extends z.ZodType>(
    schema: Schema,
    isSame: Identical<Named, DeepReadonly<z.output<Schema>>>,
  ): void => {
    expect(schema.def).toBeDefined();
    expect(isSame).toBe(true);
  };
}

describe('each named type is the output of its schema', () => {
  it('for merchants', () => {
    describes<Merchant>()(merchantSchema, true);
    describes<BasicInfo>()(basicInfoSchema, true);
    describes<Service>()(serviceSchema, true);
    describes<ServiceArea>()(serviceAreaSchema, true);
    describes<ServiceHours>()(serviceHoursSchema, true);
    describes<MenuEntry>()(menuSchema, true);
    describes<Category>()(categorySchema, true);
    describes<Offer>()(itemOfferSchema, true);
    describes<ItemOffer>()(itemOfferSchema, true);
    describes<Item>()(itemSchema, true);
    describes<OptionGroup>()(optionGroupSchema, true);
    describes<Option>()(optionSchema, true);
    describes<Availability>()(availabilitySchema, true);
  });

  it('for orders and tokens', () => {
    describes<Order>()(orderSchema, true);
    describes<TokenResponse>()(tokenResponseSchema, true);
  });

  it('for events, except for the fields that depend on the event type', () => {
    type OfType = 'eventType' | 'metadata';
    type Received = DeepReadonly<z.output<typeof eventSchema>>;
    const isSame: Identical<
      { [Key in Exclude<keyof OrderEvent, OfType | 'receivedEventType'>]: OrderEvent[Key] },
      { [Key in Exclude<keyof Received, OfType>]: Received[Key] }
    > = true;
    expect([eventSchema.def.type, isSame]).toEqual(['object', true]);
  });

  it('the comparison notices a missing key, an optional key, a writable key and another value type', () => {
    type Right = { readonly a: string; readonly b?: readonly string[] | undefined };
    const results: [
      Identical<Right, { readonly a: string; readonly b?: readonly string[] | undefined }>,
      Identical<Right, { readonly a: string }>,
      Identical<Right, { readonly a?: string; readonly b?: readonly string[] | undefined }>,
      Identical<Right, { a: string; readonly b?: readonly string[] | undefined }>,
      Identical<Right, { readonly a: string; readonly b?: string[] | undefined }>,
      Identical<Right, { readonly a: string; readonly b?: readonly string[] }>,
      Identical<Right, { readonly a: 'x' | (string & {}); readonly b?: readonly string[] | undefined }>,
    ] = [true, false, false, false, false, false, false];
    expect(results).toContain(true);
  });
});

it('a document is accepted where an object of unknown values is expected, such as a JSON column of a database', () => {
  type JsonColumn = { readonly [Key in string]?: Json };
  type Json = string | number | boolean | null | undefined | readonly Json[] | JsonColumn;
  const save = (column: JsonColumn): JsonColumn => column;
  const saveAll = (order: Order, merchant: Merchant): readonly JsonColumn[] => [save(order), save(merchant)];
  const record = (event: OrderEvent): Readonly<Record<string, unknown>> => event;
  expect([saveAll, record].map((each) => typeof each)).toEqual(['function', 'function']);
});
