import { describe, expect, it } from 'vitest';
import { IssueCollector, MAX_ISSUES, NOT_ALL } from '../../src/reading/issue-collector.js';

describe('the issue collector', () => {
  it.each([
    [['spec'], 'spec'],
    [['spec', 'sense', 'spec'], 'sense'],
    [['sense', 'standard', 'spec', 'sense'], 'standard'],
  ] as const)(
    'says what the gravest of the issues %j that it does not list is against',
    (leftOut, gravest) => {
      const collector = new IssueCollector();
      for (let count = 0; count < MAX_ISSUES; count += 1) collector.report('invalid', '', 'spec');
      for (const against of leftOut) collector.report('invalid', '', against);
      expect(collector.take().at(-1)).toBe(NOT_ALL[gravest]);
      for (let count = 0; count < MAX_ISSUES; count += 1) collector.report('invalid', '', 'spec');
      for (const against of leftOut) collector.add({ path: [], code: 'invalid', message: '', against });
      expect(collector.take()[MAX_ISSUES]).toBe(NOT_ALL[gravest]);
    },
  );
});
