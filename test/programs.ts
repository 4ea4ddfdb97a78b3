import { join } from 'node:path';
import { inject } from 'vitest';

/** The folder of the compiled programs: a script started in it can import `opendelivery-client`. */
export const programsFolder = (): string => inject('programs');

/** The compiled form of a source of this repository, for `spawn(process.execPath, [programOf('examples/poller.ts')])`. */
export function programOf(source: string): string {
  return join(programsFolder(), source.replace(/\.ts$/, '.js'));
}
