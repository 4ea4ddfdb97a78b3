/**
 * The entry under the export condition `workerd`: the same names as in `index.ts`.
 *
 * @module opendelivery-client
 */
export * from './exports.js';
export { fileState } from './state/without-files.js';
