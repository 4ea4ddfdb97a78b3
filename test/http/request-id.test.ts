import { expect, it } from 'vitest';
import { requestIdOf } from '../../src/http/request-id.js';
import { Redactor } from '../../src/secrets/redactor.js';

const redactor = new Redactor();
redactor.add('s3cret');
const idOf = (headers: Record<string, string>) => requestIdOf((name) => headers[name], redactor);

it.each([
  [{ 'x-request-id': 'a', 'x-correlation-id': 'b', traceparent: 'c', 'cf-ray': 'd' }, 'a'],
  [{ 'x-correlation-id': 'b', traceparent: 'c', 'cf-ray': 'd' }, 'b'],
  [{ traceparent: 'c', 'cf-ray': 'd' }, 'c'],
  [{ 'cf-ray': 'd' }, 'd'],
  [{ 'x-request-id': ' \t', 'cf-ray': ' d ' }, 'd'],
])('is the first header of %j that is not empty', (headers, requestId) => {
  expect(idOf(headers as Record<string, string>)).toEqual({ requestId });
});

it('is absent without such a header', () => {
  expect(idOf({ 'x-other': '1' })).toEqual({});
});

it('shows no secret, and no part of one where it is cut', () => {
  expect(idOf({ 'x-request-id': 'id-s3cret' })).toEqual({ requestId: 'id-[secret]' });
  const { requestId } = idOf({ 'x-request-id': `${'x'.repeat(123)}s3cret` });
  expect(requestId).toBe(`${'x'.repeat(123)}[secret]`);
});

it('has at most 128 characters of printable ASCII', () => {
  expect(idOf({ 'x-request-id': `é\u0007${'x'.repeat(9000)}` }).requestId).toBe(`??${'x'.repeat(126)}`);
});
