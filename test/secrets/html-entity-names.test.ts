import { expect, it } from 'vitest';
import { childOf, entityNames } from '../../src/secrets/html-entity-names.js';

function codesOf(name: string): readonly number[] | undefined {
  const names = entityNames();
  let node = 0;
  for (const letter of name) {
    node = childOf(names, node, letter.charCodeAt(0));
    if (node === 0) return undefined;
  }
  return names.codes[node];
}

it.each([
  ['amp', '&'],
  ['AMP', '&'],
  ['lbrace', '{'],
  ['frac34', '¾'],
  ['yuml', 'ÿ'],
  ['euro', '€'],
])('&%s; is %s', (name, character) => {
  expect(codesOf(name)).toEqual([character.codePointAt(0)]);
});

it('&nbsp; is a blank or U+00A0, because encoders write either', () => {
  expect(codesOf('nbsp')).toEqual([0x20, 0xa0]);
});

it('the beginning of a name and an unknown name stand for nothing', () => {
  expect([codesOf('am'), codesOf('ampx'), codesOf('é')]).toEqual([undefined, undefined, undefined]);
});
