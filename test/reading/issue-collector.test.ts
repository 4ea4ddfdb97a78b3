import { describe, expect, it } from 'vitest';
import { IssueCollector, MAX_ISSUES, NOT_ALL } from '../../src/reading/issue-collector.js';

describe('the issue collector', () => {
  it('reports an issue at the path of the value that is being read', () => {
    const collector = new IssueCollector();
    collector.report('invalid', 'root');
    for (const key of ['a', 0, 'b', 1, 'c', 2]) {
      collector.enter(key);
      collector.report('invalid', 'deeper');
    }
    expect(collector.take().map(({ path }) => path)).toEqual([
      [],
      ['a'],
      ['a', 0],
      ['a', 0, 'b'],
      ['a', 0, 'b', 1],
      ['a', 0, 'b', 1, 'c'],
      ['a', 0, 'b', 1, 'c', 2],
    ]);
  });

  it('reports an issue of a key without changing the current path', () => {
    const collector = new IssueCollector();
    collector.enter('items');
    collector.reportAt('ean', 'null', 'null');
    collector.report('coerced', 'an array');
    expect(collector.take()).toEqual([
      { path: ['items', 'ean'], code: 'null', message: 'null', against: 'standard' },
      { path: ['items'], code: 'coerced', message: 'an array', against: 'standard' },
    ]);
  });

  it('keeps the paths of earlier issues when the current path changes', () => {
    const collector = new IssueCollector();
    for (const key of ['a', 'b', 'c']) collector.enter(key);
    collector.report('invalid', '');
    collector.leave();
    collector.enter('d');
    collector.report('invalid', '');
    expect(collector.take().map(({ path }) => path.join('.'))).toEqual(['a.b.c', 'a.b.d']);
  });

  it('starts the next reading at the root without issues', () => {
    const collector = new IssueCollector();
    collector.enter('a');
    collector.report('invalid', '');
    expect(collector.take()).toHaveLength(1);
    expect(collector.count).toBe(0);
    collector.report('invalid', '');
    expect(collector.take().map(({ path }) => path)).toEqual([[]]);
  });

  it('removes the issues reported after a count', () => {
    const collector = new IssueCollector();
    for (const message of ['one', 'two', 'three']) collector.report('invalid', message);
    collector.truncate(1);
    expect(collector.take().map(({ message }) => message)).toEqual(['one']);
  });

  it('reports against the standard unless it is told something else, and can change that afterwards', () => {
    const collector = new IssueCollector();
    collector.report('null', '');
    collector.report('missing', '', 'spec');
    collector.report('left_out', '', 'sense');
    collector.reportAt('key', 'missing', '', 'spec');
    collector.regard(2, 'standard');
    expect(collector.take().map(({ against }) => against)).toEqual([
      'standard',
      'spec',
      'standard',
      'standard',
    ]);
  });

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

  it(`lists at most ${MAX_ISSUES} issues and says if there were more`, () => {
    const collector = new IssueCollector();
    for (let count = 0; count < MAX_ISSUES; count += 1) collector.report('invalid', '');
    expect(collector.count).toBe(MAX_ISSUES);
    collector.report('invalid', '');
    collector.report('invalid', '');
    const issues = collector.take();
    expect(issues).toHaveLength(MAX_ISSUES + 1);
    expect(issues.at(-1)).toBe(NOT_ALL.standard);
    expect(issues.at(-2)).not.toBe(NOT_ALL.standard);
  });
});
