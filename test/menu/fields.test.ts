import { expect, it } from 'vitest';
import type * as z from 'zod';
import * as fields from '../../src/menu/fields.js';
import { itemSchema } from '../../src/schemas/merchant/item.js';
import { categorySchema, itemOfferSchema, menuSchema } from '../../src/schemas/merchant/menu.js';
import { optionGroupSchema, optionSchema } from '../../src/schemas/merchant/option-group.js';
import { serviceSchema } from '../../src/schemas/merchant/service.js';

/** The type of a schema without `optional` and `default`, and its default. */
function fieldOf(schema: z.ZodType): fields.Field {
  const { type, innerType, defaultValue } = schema.def as {
    type: fields.FieldType;
    innerType?: z.ZodType;
    defaultValue?: unknown;
  };
  if (!innerType) return { type };
  const inner = fieldOf(innerType);
  return defaultValue === undefined ? inner : { ...inner, defaultValue };
}

it.each([
  ['service', fields.SERVICE_FIELDS, serviceSchema],
  ['menu', fields.MENU_FIELDS, menuSchema],
  ['category', fields.CATEGORY_FIELDS, categorySchema],
  ['offer', fields.OFFER_FIELDS, itemOfferSchema],
  ['item', fields.ITEM_FIELDS, itemSchema],
  ['option group', fields.OPTION_GROUP_FIELDS, optionGroupSchema],
  ['option', fields.OPTION_FIELDS, optionSchema],
] as const)('the fields of a %s have the types and defaults of its schema', (_kind, table, schema) => {
  const entries = Object.entries<z.ZodType>(schema.shape).map(([key, field]) => [key, fieldOf(field)]);
  expect(table).toEqual(Object.fromEntries(entries));
});
