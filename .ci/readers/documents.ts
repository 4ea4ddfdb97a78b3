import * as z from 'zod';
import * as common from '../../src/schemas/common.js';
import { eventSchema } from '../../src/schemas/event.js';
import * as hours from '../../src/schemas/hours.js';
import * as basicInfo from '../../src/schemas/merchant/basic-info.js';
import { merchantSchema } from '../../src/schemas/merchant.js';
import * as money from '../../src/schemas/money.js';
import { orderSchema } from '../../src/schemas/order.js';
import { tokenResponseSchema } from '../../src/schemas/token.js';
import * as publicSchemas from '../../src/schemas.js';
import type { Document } from './generator.js';

/** What the client reads. */
export const DOCUMENTS: readonly Document[] = [
  { name: 'merchant', schema: merchantSchema, many: 'elements' },
  { name: 'order', schema: orderSchema, many: 'nothing' },
  { name: 'event', schema: eventSchema, many: 'documents' },
  { name: 'token', schema: tokenResponseSchema, many: 'documents' },
];

/** The name of each exported schema: `itemSchema` is `item`. */
export const NAMES: ReadonlyMap<z.ZodType, string> = new Map([
  ...Object.entries({ ...common, ...hours, ...money, ...basicInfo, ...publicSchemas }).flatMap(
    ([name, value]) => (value instanceof z.ZodObject ? [[value, name.replace(/Schema$/, '')] as const] : []),
  ),
  ...DOCUMENTS.map(({ name, schema }) => [schema, name] as const),
]);
