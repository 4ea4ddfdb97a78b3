import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { InvalidResponseError } from 'opendelivery-client';
import { describe, expect, it } from 'vitest';
import { readMerchant as readMerchantAs } from '../../src/merchant/read.js';
import expectedIssues from '../fixtures/sample-issues.json' with { type: 'json' };
import { cleanMerchant, cleanOrder, readMerchant, readOrder, told } from './support.js';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const parsed = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));

type Name = keyof typeof expectedIssues;
type Document = readonly [name: Name, file: string];

/**
 * Documents others have published are not ours to ship: they are read where
 * they lie, beside this repository or where the variable says. Where they do
 * not, ours stand in, and deviate in all that theirs do.
 */
const samples = process.env.OPENDELIVERY_SAMPLES ?? here('../../../shared/samples');
const theirs = ['merchants', 'orders']
  .filter((folder) => existsSync(`${samples}/${folder}`))
  .flatMap((folder) => readdirSync(`${samples}/${folder}`).map((file) => `${folder}/${file}`))
  .map((name): Document => [name as Name, `${samples}/${name}`]);
const ours = readdirSync(here('../fixtures'))
  .filter((file) => file.startsWith('own-'))
  .map((file): Document => [file.replace(/\.json$/, '') as Name, here(`../fixtures/${file}`)]);

const isMerchant = (name: string) => name.includes('merchant');

/** Issues whatever the places in their lists. */
const kindsOf = (names: readonly Name[]) =>
  new Set(
    names.flatMap((name) => expectedIssues[name].map((issue) => issue.replace(/\.\d+(?=[. ])/g, '.#'))),
  );

describe('documents of others', () => {
  const known = Object.keys(expectedIssues) as Name[];

  it('are each known with their issues', () => {
    const present = [...theirs, ...ours].map(([name]) => name);
    expect(known).toEqual(expect.arrayContaining(present));
    if (theirs.length > 0) expect(present.sort()).toEqual([...known].sort());
  });

  it.each([
    ['merchants', isMerchant],
    ['orders', (name: string) => !isMerchant(name)],
  ])('%s deviate in nothing that ours do not', (_which, kind) => {
    const own = kindsOf(ours.map(([name]) => name).filter(kind));
    const foreign = kindsOf(known.filter((name) => name.includes('/')).filter(kind));
    expect(foreign.size).toBeGreaterThan(10);
    expect([...foreign].filter((issue) => !own.has(issue))).toEqual([]);
  });

  it.each([...theirs, ...ours])('%s: is usable, with exactly these issues', (name, file) => {
    const reading = isMerchant(name) ? readMerchant(parsed(file)) : readOrder(parsed(file));
    expect(reading.usable).toBe(true);
    expect(told(reading)).toEqual(expectedIssues[name]);
    for (const { message } of reading.issues) expect(message).not.toBe('');
  });

  it.each([...theirs, ...ours].filter(([name]) => isMerchant(name)))(
    '%s: read strictly is refused for its first issue, and only for one',
    (name, file) => {
      const [first] = expectedIssues[name];
      const read = () => readMerchantAs(parsed(file), 'strict');
      if (first === undefined) {
        expect(read().issues).toEqual([]);
        return;
      }
      const [path, code] = first.split(' ');
      expect(read).toThrow(InvalidResponseError);
      expect(read).toThrow(new RegExp(`^merchant: ${path}: .* \\(${code}\\)$`));
    },
  );

  it('our own fixtures of the mock hub deviate in nothing', () => {
    expect(told(readMerchant(cleanMerchant()))).toEqual([]);
    expect(told(readOrder(cleanOrder()))).toEqual([]);
  });
});
