import { expect, it } from 'vitest';
import * as edge from '../src/edge.js';
import * as node from '../src/index.js';

it('the entry for Workers has the same names as the main entry', () => {
  expect(Object.keys(edge).sort()).toEqual(Object.keys(node).sort());
});

it('fileState in the entry for Workers throws a ConfigurationError that names the alternatives', () => {
  expect(() => edge.fileState('./state')).toThrow(edge.ConfigurationError);
  expect(() => edge.fileState('./state')).toThrow(/^fileState: .*redisState.*State.*docs\/runtimes\.md/);
});
