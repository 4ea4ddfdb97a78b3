import { InvalidResponseError } from 'opendelivery-client';
import { describe, expect, it } from 'vitest';
import { requireValid } from '../../src/merchant/read.js';
import sampleIssues from '../fixtures/sample-issues.json' with { type: 'json' };
import { isMerchant, own, parsed, published } from './documents.js';
import { cleanMerchant, cleanOrder, pathsAndCodes, readMerchant, readOrder } from './support.js';

const expectedIssues: Readonly<Record<string, readonly string[]>> = sampleIssues;

/** Two of the examples of the standard are valid by its v1.7.1; the other two are of older versions. */
const VALID = ['merchants/standard-1.2.0.json', 'merchants/standard-1.7.0.json'];

const issuesOf = (name: string) => expectedIssues[name] ?? [];

/** Issues without the indices of their paths. */
const kindsOf = (names: readonly string[]) =>
  new Set(names.flatMap((name) => issuesOf(name).map((issue) => issue.replace(/\.\d+(?=[. ])/g, '.#'))));

describe('a published document', () => {
  const known = Object.keys(expectedIssues);

  it('has a list of expected issues', () => {
    const present = [...published, ...own].map(([name]) => name);
    expect(known).toEqual(expect.arrayContaining(present));
    if (published.length > 0) expect(present.sort()).toEqual([...known].sort());
  });

  it.each([
    ['merchants', isMerchant],
    ['orders', (name: string) => !isMerchant(name)],
  ])('of the kind %s has no kind of deviation that our own documents lack', (_which, kind) => {
    const ownKinds = kindsOf(own.map(([name]) => name).filter(kind));
    const publishedKinds = kindsOf(known.filter((name) => name.includes('/')).filter(kind));
    expect(publishedKinds.size).toBeGreaterThan(10);
    expect([...publishedKinds].filter((issue) => !ownKinds.has(issue))).toEqual([]);
  });

  it.each([...published, ...own])('%s is usable and has exactly the expected issues', (name, file) => {
    const reading = isMerchant(name) ? readMerchant(parsed(file)) : readOrder(parsed(file));
    expect(reading.usable).toBe(true);
    expect(reading.issues.map(({ path, code, against }) => `${path.join('.')} ${code} ${against}`)).toEqual(
      expectedIssues[name],
    );
    for (const { message } of reading.issues) expect(message).not.toBe('');
  });

  it.each([...published, ...own].filter(([name]) => isMerchant(name)))(
    '%s is refused by strict validation for its first issue that is not only against the spec, and by strict-spec for its first one',
    (_name, file) => {
      const { issues } = readMerchant(parsed(file));
      for (const [validation, first] of [
        ['strict', issues.find(({ against }) => against !== 'spec')],
        ['strict-spec', issues[0]],
      ] as const) {
        const check = () => requireValid(issues, validation);
        if (first) {
          const { path, message, code } = first;
          expect(check).toThrow(InvalidResponseError);
          expect(check).toThrow(`merchant: ${path.join('.')}: ${message} (${code})`);
        } else expect(check).not.toThrow();
      }
    },
  );

  it.each(VALID)('%s is valid by the standard, so it has only issues against the spec', (name) => {
    expect(issuesOf(name).length).toBeGreaterThan(20);
    expect(issuesOf(name).filter((issue) => !issue.endsWith(' spec'))).toEqual([]);
  });

  it('the fixtures of the mock hub have no issue', () => {
    expect(pathsAndCodes(readMerchant(cleanMerchant()))).toEqual([]);
    expect(pathsAndCodes(readOrder(cleanOrder()))).toEqual([]);
  });
});
