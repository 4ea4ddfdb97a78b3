import type { Item } from '../schemas/merchant/item.js';
import type { Category, ItemOffer, MenuEntry } from '../schemas/merchant/menu.js';
import type { Option, OptionGroup } from '../schemas/merchant/option-group.js';
import type { Service } from '../schemas/merchant/service.js';

/** How a field is read. A value of another type counts as absent, and an absent field has its default. */
export interface Field<Type extends FieldType = FieldType> {
  readonly type: Type;
  readonly defaultValue?: unknown;
}

export type FieldType = 'string' | 'number' | 'array' | 'object';

type TypeOf<Value> = Value extends string
  ? 'string'
  : Value extends number
    ? 'number'
    : Value extends readonly unknown[]
      ? 'array'
      : 'object';

/** All fields of an entry. The compiler compares them with the type, and a test with the zod schema. */
export type Fields<Entry> = { readonly [Key in keyof Entry]-?: Field<TypeOf<NonNullable<Entry[Key]>>> };

const STRING: Field<'string'> = { type: 'string' };
const NUMBER: Field<'number'> = { type: 'number' };
const ARRAY: Field<'array'> = { type: 'array' };
const OBJECT: Field<'object'> = { type: 'object' };
const STATUS: Field<'string'> = { type: 'string', defaultValue: 'AVAILABLE' };

// Not read from the zod schemas: a storefront in a browser should not load zod for the names of sixty fields.

export const SERVICE_FIELDS: Fields<Service> = {
  id: STRING,
  status: STATUS,
  serviceType: STRING,
  serviceTiming: OBJECT,
  servicePriority: ARRAY,
  menuId: STRING,
  targetAppId: STRING,
  serviceArea: OBJECT,
  serviceHours: OBJECT,
};

export const MENU_FIELDS: Fields<MenuEntry> = {
  id: STRING,
  name: STRING,
  description: STRING,
  externalCode: STRING,
  disclaimer: STRING,
  disclaimerURL: STRING,
  categoryId: ARRAY,
};

export const CATEGORY_FIELDS: Fields<Category> = {
  id: STRING,
  index: NUMBER,
  name: STRING,
  description: STRING,
  image: OBJECT,
  externalCode: STRING,
  status: STATUS,
  availabilityId: ARRAY,
  itemOfferId: ARRAY,
};

export const OFFER_FIELDS: Fields<ItemOffer> = {
  id: STRING,
  itemId: STRING,
  index: NUMBER,
  status: STATUS,
  price: OBJECT,
  availabilityId: ARRAY,
  optionGroupsId: ARRAY,
};

export const ITEM_FIELDS: Fields<Item> = {
  id: STRING,
  name: STRING,
  description: STRING,
  externalCode: STRING,
  status: STATUS,
  image: OBJECT,
  images: ARRAY,
  nutritionalInfo: OBJECT,
  serving: NUMBER,
  unit: STRING,
  ean: STRING,
};

export const OPTION_GROUP_FIELDS: Fields<OptionGroup> = {
  id: STRING,
  index: NUMBER,
  name: STRING,
  description: STRING,
  externalCode: STRING,
  status: STATUS,
  minPermitted: NUMBER,
  maxPermitted: NUMBER,
  priceMethod: { type: 'string', defaultValue: 'SUM' },
  options: ARRAY,
};

export const OPTION_FIELDS: Fields<Option> = {
  id: STRING,
  itemId: STRING,
  index: NUMBER,
  status: STATUS,
  price: OBJECT,
  maxPermitted: NUMBER,
};
