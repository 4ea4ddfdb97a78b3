import { dirname, resolve } from 'node:path';
import { ConfigurationError } from '../../errors.js';
import { createMockHub } from '../../testing/create-mock-hub.js';
import type { Json } from '../../testing/fixtures.js';
import type { NewStore } from '../../testing/mock-store.js';
import { readJsonFile } from '../read-file.js';

/**
 * Reads the file of `--store`. It contains either
 * `{ "stores": [{ clientId, clientSecret, apiKey, merchant }] }`, where
 * `merchant` is a document or the name of a file relative to this one, or one
 * merchant document, for the default store.
 *
 * @throws {ConfigurationError} a file cannot be read, or is not a JSON object.
 */
export function readStoresFile(path: string): readonly NewStore[] {
  const document = readJsonObject(path);
  if (!Array.isArray(document.stores)) {
    const [defaultStore] = createMockHub().stores;
    return [{ ...(defaultStore as NewStore), merchant: document }];
  }
  return (document.stores as Record<string, unknown>[]).map((store) => {
    const { merchant } = store;
    const read = typeof merchant === 'string' && {
      merchant: readJsonObject(resolve(dirname(path), merchant)),
    };
    return { ...store, ...read } as unknown as NewStore; // createMockHub checks it
  });
}

function readJsonObject(path: string): Json {
  const document = readJsonFile('--store', path);
  if (typeof document === 'object' && document !== null && !Array.isArray(document)) return document as Json;
  throw new ConfigurationError('--store', `${path} must contain a JSON object`);
}
