import { existsSync } from 'node:fs';
import * as z from 'zod';
import type { Clock } from '../../clock.js';
import { ConfigurationError } from '../../errors.js';
import { playScript } from '../../testing/console/script.js';
import { jsonObject } from '../../testing/control-input.js';
import { durationMs } from '../../testing/duration.js';
import type { MockHub } from '../../testing/mock-hub.js';
import { parseInput } from '../../testing/parse-input.js';
import { readJsonFile } from '../read-file.js';

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
 * @throws {ConfigurationError} the file cannot be read, or is not a script.
 */
export function readScriptFile(
  path: string,
  names: readonly string[],
): (mock: MockHub, clock: Clock, signal: AbortSignal) => Promise<void> {
  if (!path.includes('.') && !existsSync(path)) {
    const message = `'${path}' is not a script. Allowed choices are ${names.join(', ')}, or the name of a file`;
    throw new ConfigurationError('--script', message);
  }
  const fail = (mistakes: string) => new ConfigurationError('--script', `${path}: ${mistakes}`);
  const { steps } = parseInput(script, readJsonFile('--script', path), fail);
  for (const [index, { at }] of steps.entries()) {
    try {
      durationMs(at);
    } catch (error) {
      throw fail(`steps[${index}].at: ${(error as Error).message}`);
    }
  }
  return (mock, clock, signal) => playScript(mock, steps, clock, signal);
}
