import { existsSync } from 'node:fs';
import { ConfigurationError } from '../../errors/index.js';
import { isObject } from '../../reading/json.js';
import { readJsonFile } from '../read-file.js';
import { writeFile } from '../write-file.js';
import type { ItemResult } from './play.js';

const OPTION = '--continue';

/**
 * The items that an earlier rehearsal has passed; none if the file does not exist yet.
 *
 * @throws {ConfigurationError} the file cannot be read, or is of another script.
 */
export function readPassed(path: string, script: string): Map<string, ItemResult> {
  if (!existsSync(path)) return new Map();
  const { script: of, items } = Object(readJsonFile(OPTION, path)) as Record<string, unknown>;
  if (of !== script || !Array.isArray(items)) {
    throw new ConfigurationError(
      OPTION,
      `${path} does not belong to the script ${script}; name another file`,
    );
  }
  const passed = items.filter(
    (item): item is ItemResult => isObject(item) && 'result' in item && item.result === 'passed',
  );
  return new Map(passed.map((item) => [item.id, item]));
}

/** @throws {ConfigurationError} the file cannot be written. */
export function keepPassed(path: string, script: string, items: readonly ItemResult[]): void {
  writeFile(OPTION, path, `${JSON.stringify({ script, items }, undefined, 2)}\n`);
}
