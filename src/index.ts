/**
 * The client of an OpenDelivery hub: `HubClient`, the menu, states, errors and all types.
 *
 * @module opendelivery-client
 */
export * from './exports.js';
export { type FileState, fileState } from './state/sqlite/file-state.js';
