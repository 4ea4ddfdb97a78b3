import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import * as z from 'zod';
import { ConfigurationError } from '../../errors/index.js';
import { nameOf, playScript, routeOf } from '../../testing/console/script.js';
import { jsonObject, newStore } from '../../testing/control-input.js';
import { durationMs } from '../../testing/duration.js';
import type { NewStore } from '../../testing/mock-store.js';
import { DEFAULT_STORE } from '../../testing/options.js';
import { parseInput } from '../../testing/parse-input.js';
import { readJsonFile } from '../files.js';
import type { ScriptPlayer } from '../mock.js';

const script = z.strictObject({
  steps: z.array(
    z.strictObject({
      at: z.union([z.string(), z.number()]),
      request: z.string(),
      body: jsonObject.exactOptional(),
    }),
  ),
});

/**
 * Reads a script that the console has saved, and returns what plays it.
 *
 * @param names - of the scripts that need no file.
 */
export function readScriptFile(path: string, names: readonly string[]): ScriptPlayer {
  if (!path.includes('.') && !existsSync(path)) {
    const message = `'${path}' is not a script. Allowed choices are ${names.join(', ')}, or the name of a file`;
    throw new ConfigurationError('--script', message);
  }
  const fail = (mistakes: string) => new ConfigurationError('--script', `${path}: ${mistakes}`);
  const { steps } = parseInput(script, readJsonFile('--script', path), fail);
  for (const [index, { at, request }] of steps.entries()) {
    if (!routeOf(request)) throw fail(`${nameOf(index, request)}: the control API has no such request`);
    try {
      durationMs(at);
    } catch (error) {
      throw fail(`steps[${index}].at: ${(error as Error).message}`);
    }
  }
  return (mock, clock, signal) =>
    playScript(mock, steps, clock, signal).catch((error: unknown) => {
      throw error instanceof TypeError ? fail(error.message) : error;
    });
}

const storesFile = z.strictObject({
  stores: z.array(newStore.extend({ merchant: z.union([jsonObject, z.string()]).exactOptional() })).min(1),
});

/**
 * Reads the file of `--store`: `{ "stores": [{ clientId, clientSecret, apiKey, merchant }] }`, where `merchant`
 * is a document or the name of a file relative to this one; or one merchant document, for the default store.
 */
export function readStoresFile(path: string): readonly NewStore[] {
  const document = readAs(jsonObject, path);
  if (!('stores' in document)) return [{ ...DEFAULT_STORE, merchant: document }];
  return parse(storesFile, path, document).stores.map(({ merchant, ...store }) => {
    if (merchant === undefined) return store;
    if (typeof merchant !== 'string') return { ...store, merchant };
    return { ...store, merchant: readAs(jsonObject, resolve(dirname(path), merchant)) };
  });
}

const readAs = <Schema extends z.ZodType>(schema: Schema, path: string) =>
  parse(schema, path, readJsonFile('--store', path));

const parse = <Schema extends z.ZodType>(schema: Schema, path: string, input: unknown) =>
  parseInput(schema, input, (mistakes) => new ConfigurationError('--store', `${path}: ${mistakes}`));
