import { expect, it } from 'vitest';
import { plainText } from '../../../src/cli/certify/find-detail.js';

it.each([
  ['<p>total <b>54.90</b></p>', ' total  54.90  '],
  ['<<< PEDIDO 1003 >>>', '<<< PEDIDO 1003 >>>'],
  ['5 < 6 and 7 > 3', '5 < 6 and 7 > 3'],
  ['<!-- 1 --><br/>x</br>', '  x '],
  ['caf&eacute; &amp; p&#227;o &#xe9;', 'caf&eacute; & pão é'],
  ['&#9999999999; 54.90', '&#9999999999; 54.90'],
])('reads %j as plain text', (answer, text) => {
  expect(plainText(answer)).toBe(text);
});
