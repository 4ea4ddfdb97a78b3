import type { Item } from '../schemas/merchant/item.js';
import type { Category, ItemOffer, MenuEntry } from '../schemas/merchant/menu.js';
import type { Option, OptionGroup } from '../schemas/merchant/option-group.js';
import type { Service } from '../schemas/merchant/service.js';

/**
 * How a field is read. A value of another type counts as absent, and an absent field has its default. But an array field
 * with another value is empty, because an absent array can mean all entries; a single string is an array of it.
 */
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

const fieldsOf =
  <Type extends FieldType>(type: Type) =>
  <Name extends string>(...names: readonly Name[]) =>
    Object.fromEntries(names.map((name) => [name, { type }])) as Record<Name, Field<Type>>;

const strings = fieldsOf('string');
const numbers = fieldsOf('number');
const arrays = fieldsOf('array');
const objects = fieldsOf('object');
const status: Field<'string'> = { type: 'string', defaultValue: 'AVAILABLE' };

// Not read from the zod schemas: a storefront in a browser should not load zod for the names of sixty fields.

export const SERVICE_FIELDS: Fields<Service> = {
  ...strings('id', 'serviceType', 'menuId', 'targetAppId'),
  ...objects('serviceTiming', 'serviceArea', 'serviceHours'),
  ...arrays('servicePriority'),
  status,
};

export const MENU_FIELDS: Fields<MenuEntry> = {
  ...strings('id', 'name', 'description', 'externalCode', 'disclaimer', 'disclaimerURL'),
  ...arrays('categoryId'),
};

export const CATEGORY_FIELDS: Fields<Category> = {
  ...strings('id', 'name', 'description', 'externalCode'),
  ...numbers('index'),
  ...objects('image'),
  ...arrays('availabilityId', 'itemOfferId'),
  status,
};

export const OFFER_FIELDS: Fields<ItemOffer> = {
  ...strings('id', 'itemId'),
  ...numbers('index'),
  ...objects('price'),
  ...arrays('availabilityId', 'optionGroupsId'),
  status,
};

export const ITEM_FIELDS: Fields<Item> = {
  ...strings('id', 'name', 'description', 'externalCode', 'unit', 'ean'),
  ...objects('image', 'nutritionalInfo'),
  ...arrays('images'),
  ...numbers('serving'),
  status,
};

export const OPTION_GROUP_FIELDS: Fields<OptionGroup> = {
  ...strings('id', 'name', 'description', 'externalCode'),
  ...numbers('index', 'minPermitted', 'maxPermitted'),
  ...arrays('options'),
  status,
  priceMethod: { type: 'string', defaultValue: 'SUM' },
};

export const OPTION_FIELDS: Fields<Option> = {
  ...strings('id', 'itemId'),
  ...numbers('index', 'maxPermitted'),
  ...objects('price'),
  status,
};
