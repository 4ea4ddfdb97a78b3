/**
 * The entry under the export condition `workerd`: the same names as in `node.ts`.
 *
 * @module opendelivery-client
 */
export * from './index.js';
export { fileState } from './state/without-files.js';
