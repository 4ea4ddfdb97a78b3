import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ManualClock } from 'opendelivery-client/testing';
import { expect } from 'vitest';
import { soon } from '../../soon.js';
import { temporaryDirectory } from '../../temporary.js';
import { interrupt, opendelivery } from '../support.js';

/** Starts `opendelivery record`; `finish` ends it as Ctrl-C does, and returns the text of the file. */
export async function recording(target: string, options = '', clock = new ManualClock()) {
  const file = join(temporaryDirectory(), 'evening.json');
  const ran = opendelivery(`record --target ${target} --out ${file} --port 0 ${options}`, { clock });
  await soon(() => expect(ran.out + ran.err).toMatch(/baseUrl|error/));
  const url = /recording at (\S+),/.exec(ran.out)?.[1] ?? '';
  const finish = async () => {
    interrupt();
    expect(await ran.code, ran.err).toBe(0);
    return readFileSync(file, 'utf8');
  };
  return { ran, url, file, finish };
}
