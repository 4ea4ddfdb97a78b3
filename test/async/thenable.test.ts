import { expect, it } from 'vitest';
import { isThenable } from '../../src/async/thenable.js';

const withThen = (target: object, then: unknown): object => Object.assign(target, { then });
const nothing = () => {};

it.each([
  ['a promise', Promise.resolve()],
  ['an object with a then method', withThen({}, nothing)],
  ['a function with a then method', withThen(() => {}, nothing)],
  ['an object that inherits then', Object.create(withThen({}, nothing))],
])('%s is a thenable', (_what, value) => {
  expect(isThenable(value)).toBe(true);
});

it.each([
  ['undefined', undefined],
  ['null', null],
  ['a string', 'then'],
  ['a number', 1],
  ['a function', () => {}],
  ['an object whose then is not a function', withThen({}, true)],
  ['an empty object', {}],
])('%s is not a thenable', (_what, value) => {
  expect(isThenable(value)).toBe(false);
});
