import { expect, it } from 'vitest';
import { DETAILS, type DetailName } from '../../../src/cli/certify/details.js';
import { isShown, plainText } from '../../../src/cli/certify/find-detail.js';

it.each([
  ['<p>total <b>54.90</b></p>', ' total  54.90  '],
  ['<<< PEDIDO 1003 >>>', '<<< PEDIDO 1003 >>>'],
  ['5 < 6 and 7 > 3', '5 < 6 and 7 > 3'],
  ['<!-- 1 --><br/>x</br>', '  x '],
  ['caf&eacute; &amp; p&#227;o &#xe9;', 'café & pão é'],
  [
    'Conclu&iacute;do &Agrave;s &ecirc; &otilde; &ccedil; &uuml; n&ordm; 1&ordf;',
    'Concluído Às ê õ ç ü nº 1ª',
  ],
  ['&bacute; &zz; &constructor;', '&bacute; &zz; &constructor;'],
  ['&#9999999999; 54.90', '&#9999999999; 54.90'],
])('reads %j as plain text', (answer, text) => {
  expect(plainText(answer)).toBe(text);
});

const ORDER = {
  displayId: '1003',
  items: [{ name: 'Margherita', specialInstructions: 'Sem cebola' }],
  total: { orderAmount: { value: 54.9 } },
  schedule: { scheduledDateTimeStart: '2026-11-26T15:47:00.000Z' },
};

it.each<[DetailName, string]>([
  ['itemNote', JSON.stringify({ ticket: '1003\n2 x\tMargherita\nSem cebola' })],
  ['itemNote', JSON.stringify({ ticket: 'Margherita\r\n\tSem\ncebola\n' })],
  ['itemNote', JSON.stringify([{ html: '<b>Margherita</b><br>Sem&nbsp;cebola' }])],
  ['item', JSON.stringify('2 x\tMargherita')],
  ['number', '{ "number" : 1003, "open": true }'],
  ['number', ' \n{"numbers":["1003"]}\n'],
  ['total', '{"amounts":[10,54.90]}'],
  ['total', JSON.stringify(['10', '54,90'])],
  ['scheduledDay', String.raw`{"day":"26\/11\/2026"}`],
  ['stageConcluded', String.raw`{"stage":"conclu\u00eddo"}`],
  ['stageConcluded', JSON.stringify({ 'a "stage"': 'Conclu&iacute;do \\' })],
])('finds %s in the JSON %s', (name, answer) => {
  expect(isShown(DETAILS[name], ORDER, plainText(answer))).toBe(true);
});

it.each<[DetailName, string]>([
  ['stageConcluded', JSON.stringify({ concluded: null, 'a "CONCLUDED"': '' })],
  ['byStore', JSON.stringify({ merchant: { id: '7' } })],
  ['itemNote', JSON.stringify(['Sem', 'cebola'])],
  ['total', JSON.stringify([54, 90])],
  ['total', JSON.stringify({ total: '154.90' })],
])('does not find %s in the JSON %s', (name, answer) => {
  expect(isShown(DETAILS[name], ORDER, plainText(answer))).toBe(false);
});
