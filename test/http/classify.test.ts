import {
  AuthenticationError,
  BadRequestError,
  type EndpointName,
  NotFoundError,
  RateLimitError,
  ServerError,
  UnexpectedStatusError,
} from 'opendelivery-client';
import { describe, expect, it } from 'vitest';
import { errorOf, titleOf } from '../../src/http/classify.js';

const AUTH = {
  token: 'none',
  merchant: 'apiKey',
  polling: 'bearer',
  acknowledgment: 'bearer',
  order: 'bearer',
  orderStatus: 'bearer',
} as const;

function classified(endpoint: EndpointName, status: number, body = '') {
  const title = titleOf(body);
  const shown = title === undefined ? { body } : { body, title };
  return errorOf({ endpoint, status, attempts: 2, ...shown, retryAfterMs: 7000 }, AUTH[endpoint]);
}

describe('the class of an error', () => {
  it.each([
    ['order', 400, BadRequestError],
    ['token', 400, AuthenticationError],
    ['token', 401, AuthenticationError],
    ['merchant', 401, AuthenticationError],
    ['polling', 403, AuthenticationError],
    ['order', 404, NotFoundError],
    ['token', 404, NotFoundError],
    ['order', 429, RateLimitError],
    ['order', 500, ServerError],
    ['order', 599, ServerError],
    ['order', 302, UnexpectedStatusError],
    ['order', 422, UnexpectedStatusError],
    ['order', 600, UnexpectedStatusError],
    ['order', 100, UnexpectedStatusError],
  ] as const)('of %s with status %i', (endpoint, status, kind) => {
    const error = classified(endpoint, status);
    expect(error).toBeInstanceOf(kind);
    expect(error).toMatchObject({ endpoint, status, attempts: 2 });
  });

  it.each([
    ['token', 'token'],
    ['merchant', 'apiKey'],
    ['order', 'bearer'],
  ] as const)('of %s says which credential was rejected: %s', (endpoint, which) => {
    expect(classified(endpoint, 401)).toMatchObject({ which });
  });

  it('keeps the wait of a 429, and says that it is from the hub', () => {
    expect(classified('order', 429)).toMatchObject({ retryAfterMs: 7000, origin: 'hub', retryable: true });
  });
});

describe('the message of an error', () => {
  it.each([
    ['{"title":"Order not found","status":404}', 'Order not found'],
    ['{"error":{"code":404,"message":"no such order"}}', 'no such order'],
    ['{"error":"invalid_client","error_description":"unknown client"}', 'unknown client'],
    ['{"error":"invalid_client"}', 'invalid_client'],
    ['{"message":"no route"}', 'no route'],
    ['{"title":"","message":"no route"}', 'no route'],
  ])('quotes the title in %s', (body, title) => {
    expect(classified('order', 500, body).message).toBe(`order: the hub responded with 500 (${title})`);
  });

  it.each(['', 'null', '[]', '"text"', '<html>', '{"title":7}', '{"title":null,"error":{}}', '{"tit'])(
    'has no title for the body %j',
    (body) => {
      expect(classified('order', 500, body).message).toBe('order: the hub responded with 500');
    },
  );

  it.each([
    ['token', 400, 'check clientId and clientSecret'],
    ['token', 403, 'check clientId and clientSecret'],
    ['merchant', 403, 'check apiKey'],
    ['polling', 401, 'the hub does not accept the token that it issued'],
    ['order', 404, 'the hub does not know this order'],
    ['orderStatus', 404, 'the hub does not know this order'],
    ['polling', 404, 'check baseUrl and basePath'],
    ['merchant', 301, 'redirects are not followed; check baseUrl'],
  ] as const)('of %s with status %i has a remedy', (endpoint, status, remedy) => {
    expect(classified(endpoint, status).message).toContain(`: the hub responded with ${status}; ${remedy}`);
  });
});
