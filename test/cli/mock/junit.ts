import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { readXml } from '../../xml.js';

export interface JUnitCase {
  readonly name: string;
  readonly failure?: { readonly message: string; readonly type: string; readonly text: string };
}

/** Reads JUnit XML as strictly as XML asks for, and checks that its counts are right. */
export function readJUnit(file: string): readonly JUnitCase[] {
  const report = readXml(readFileSync(file, 'utf8'));
  const [suite] = report.children;
  const cases = (suite?.children ?? []).map(({ attributes, children: [failure] }) => ({
    name: attributes.name ?? '',
    ...(failure && {
      failure: { ...failure.attributes, text: failure.text } as NonNullable<JUnitCase['failure']>,
    }),
  }));
  const failures = cases.filter(({ failure }) => failure).length;
  expect(cases).not.toEqual([]);
  expect([report, suite].map((each) => [each?.name, each?.attributes])).toEqual(
    ['testsuites', 'testsuite'].map((name) => [
      name,
      expect.objectContaining({ tests: `${cases.length}`, failures: `${failures}` }),
    ]),
  );
  return cases;
}
