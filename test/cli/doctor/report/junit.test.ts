import { expect, it } from 'vitest';
import { type Element, readXml } from '../../../xml.js';
import { exits } from '../../support.js';
import { changedHub } from './changed-hub.js';

interface Rule {
  readonly required?: readonly string[];
  readonly optional?: readonly string[];
  readonly children?: readonly string[];
  readonly hasText?: boolean;
}

const COUNTS = ['tests', 'failures', 'errors'];
const OUTCOME: Rule = { optional: ['type', 'message'], hasText: true };

/**
 * What Jenkins accepts: the rules of the schema junit-10 of its xunit plugin
 * (https://github.com/jenkinsci/xunit-plugin), as far as we use it, in our own words.
 */
const RULES: Readonly<Record<string, Rule>> = {
  testsuites: { optional: ['name', 'time', ...COUNTS], children: ['testsuite'] },
  testsuite: {
    required: ['name', ...COUNTS],
    optional: ['time', 'skipped', 'timestamp', 'hostname', 'id', 'package', 'group', 'file', 'log', 'url'],
    children: ['testsuite', 'properties', 'testcase', 'system-out', 'system-err'],
  },
  properties: { children: ['property'] },
  property: { required: ['name', 'value'] },
  testcase: {
    required: ['name'],
    optional: ['time', 'classname', 'group'],
    children: ['skipped', 'error', 'failure', 'system-out', 'system-err'],
  },
  failure: OUTCOME,
  error: OUTCOME,
  skipped: OUTCOME,
  'system-out': { hasText: true },
  'system-err': { hasText: true },
};

/** Seconds: at most three digits before the point, or groups of three. */
const TIME = /^(?:\d{1,3}(?:,\d{3})*|\d*)(?:\.\d*)?$/;

/** Everything that breaks the rules. */
function faultsOf({ name, attributes, children, text }: Element, path = ''): string[] {
  const place = `${path}/${name}`;
  const rule = RULES[name];
  if (!rule) return [`${place} is unknown`];
  const { required = [], optional = [], children: allowed = [], hasText } = rule;
  const given = Object.keys(attributes);
  const count = (each: string) => attributes[each] === undefined || /^\d+$/.test(attributes[each]);
  return [
    ...required.filter((each) => !given.includes(each)).map((each) => `${place}: ${each} is missing`),
    ...given
      .filter((each) => ![...required, ...optional].includes(each))
      .map((each) => `${place}: ${each} is unknown`),
    ...(TIME.test(attributes.time ?? '') ? [] : [`${place}: time is ${attributes.time}`]),
    ...[...COUNTS, 'skipped']
      .filter((each) => !count(each))
      .map((each) => `${place}: ${each} is not a number`),
    ...(hasText || text.trim() === '' ? [] : [`${place} has text`]),
    ...children
      .filter((each) => !allowed.includes(each.name))
      .map((each) => `${place} must not have ${each.name}`),
    ...children.flatMap((child) => faultsOf(child, place)),
  ];
}

it('writes JUnit XML as the schema of Jenkins asks for, with failures and skipped cases', async () => {
  const { clock } = await changedHub({ isIdle: true, options: { badKeyStatus: 403, expiresIn: 'text' } });
  const ran = await exits(0, 'doctor --report junit', { clock });
  expect(ran.out.startsWith('<?xml version="1.0" encoding="UTF-8"?>\n')).toBe(true);
  const report = readXml(ran.out);
  expect(faultsOf(report)).toEqual([]);
  expect(report.children).toHaveLength(6);
  const cases = report.children.flatMap(({ children }) => children.filter(({ name }) => name === 'testcase'));
  const outcomes = cases.flatMap(({ children }) => children.map(({ name }) => name));
  expect(outcomes.filter((name) => name === 'failure')).toHaveLength(2);
  expect(cases.length).toBeGreaterThan(40);
  expect(report).toMatchObject({
    name: 'testsuites',
    attributes: { name: 'opendelivery doctor', tests: `${cases.length}`, failures: '2' },
  });
  expect(outcomes).toContain('skipped');
  for (const { attributes, children } of report.children) {
    const having = (name: string) =>
      String(children.filter((each) => each.children.some((child) => child.name === name)).length);
    expect(attributes).toMatchObject({
      tests: String(children.filter(({ name }) => name === 'testcase').length),
      failures: having('failure'),
      skipped: having('skipped'),
    });
    expect(attributes.timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/);
  }
  // A program that shows a history tells the cases apart by class and name.
  const ids = cases.map(({ attributes: { classname, name } }) => `${classname} ${name}`);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.join()).not.toContain('undefined');
});
