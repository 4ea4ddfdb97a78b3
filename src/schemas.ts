/**
 * The zod schemas of the documents that a hub sends. Only this entry loads zod at its import.
 *
 * @module opendelivery-client/schemas
 */
export { eventSchema } from './schemas/event.js';
export { availabilitySchema } from './schemas/merchant/availability.js';
export { basicInfoSchema } from './schemas/merchant/basic-info.js';
export { itemSchema } from './schemas/merchant/item.js';
export { categorySchema, itemOfferSchema, menuSchema } from './schemas/merchant/menu.js';
export { optionGroupSchema, optionSchema } from './schemas/merchant/option-group.js';
export { serviceHoursSchema, serviceSchema } from './schemas/merchant/service.js';
export { serviceAreaSchema } from './schemas/merchant/service-area.js';
export { merchantSchema } from './schemas/merchant.js';
export { orderSchema } from './schemas/order.js';
export { tokenResponseSchema } from './schemas/token.js';
export type { OpenEnum } from './schemas/wire.js';
