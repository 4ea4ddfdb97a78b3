/**
 * A module for applications of Nest: listeners as decorated methods, started and stopped with the application.
 *
 * @module opendelivery-client/nestjs
 */
export { OpenDeliveryHealth, type OpenDeliveryHealthResult } from './nestjs/health.js';
export {
  type ClientModuleOptions,
  type FleetModuleOptions,
  OpenDeliveryModule,
  type OpenDeliveryModuleAsyncOptions,
  type OpenDeliveryModuleOptions,
} from './nestjs/module.js';
export { OnOrderEvent, type OrderEventMethod, type OrderEventSubject } from './nestjs/on-order-event.js';
