import { readFileSync } from 'node:fs';
import { SaxesParser } from 'saxes';

export interface JUnitCase {
  readonly name: string;
  readonly failure?: { readonly message: string; readonly type: string; readonly text: string };
}

/** Reads JUnit XML as strictly as XML asks for, and checks that its counts are right. */
export function readJUnit(file: string): readonly JUnitCase[] {
  const cases: { -readonly [Key in keyof JUnitCase]: JUnitCase[Key] }[] = [];
  const counts: (readonly [tests: string, failures: string])[] = [];
  const open: string[] = [];
  let text = '';
  const parser = new SaxesParser();
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ name, attributes }) => {
    open.push(name);
    text = '';
    if (name.startsWith('testsuite')) counts.push([String(attributes.tests), String(attributes.failures)]);
    if (name === 'testcase') cases.push({ name: String(attributes.name) });
    const latest = cases.at(-1);
    if (name === 'failure' && latest) {
      latest.failure = { message: String(attributes.message), type: String(attributes.type), text: '' };
    }
  });
  parser.on('text', (part) => {
    text += part;
  });
  parser.on('closetag', ({ name }) => {
    const latest = cases.at(-1);
    if (name === 'failure' && latest?.failure) latest.failure = { ...latest.failure, text };
    open.pop();
  });
  parser.write(readFileSync(file, 'utf8')).close();
  const failures = cases.filter(({ failure }) => failure).length;
  for (const [tests, failed] of counts) {
    if (tests !== String(cases.length) || failed !== String(failures)) {
      throw new Error(
        `the file has ${cases.length} tests, ${failures} failed, and says ${tests} and ${failed}`,
      );
    }
  }
  if (counts.length !== 2 || cases.length === 0) throw new Error('the file has no suite, or no test');
  return cases;
}
