import {
  AuthenticationError,
  BadRequestError,
  type EndpointName,
  type HubClient,
  HubError,
  NotFoundError,
  RateLimitError,
  ServerError,
  UnexpectedStatusError,
} from 'opendelivery-client';
import { createMockHub, ManualClock } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { clientOf, failure } from './support.js';

const CALLS = {
  token: (hub) => hub.auth.getToken(),
  merchant: (hub) => hub.merchant.get(),
  polling: (hub) => hub.events.poll(),
  order: (hub) => hub.orders.get('o'),
  orderStatus: (hub) => hub.orders.confirm('o'),
} satisfies Partial<Record<EndpointName, (hub: HubClient) => Promise<unknown>>>;

/** The error of a call whose hub answers so. */
async function classified(endpoint: keyof typeof CALLS, status: number, body = '') {
  const clock = new ManualClock();
  const mock = createMockHub({ clock });
  const { hub } = clientOf(mock.baseUrl, {
    clock,
    fetch: async (url, init) => {
      const isToken = url.endsWith('/oauth/token');
      if (isToken !== (endpoint === 'token')) return mock.fetch(url, init);
      return new Response(body, { status, headers: { 'retry-after': '7000' } });
    },
  });
  return failure<HubError>(CALLS[endpoint](hub), HubError);
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
    ['order', 418, UnexpectedStatusError],
    ['order', 422, UnexpectedStatusError],
  ] as const)('of %s with status %i', async (endpoint, status, kind) => {
    const error = await classified(endpoint, status);
    expect(error).toBeInstanceOf(kind);
    expect(error).toMatchObject({ endpoint, status, attempts: 1 });
  });

  it.each([
    ['token', 'token'],
    ['merchant', 'apiKey'],
    ['order', 'bearer'],
  ] as const)('of %s says which credential was rejected: %s', async (endpoint, which) => {
    expect(await classified(endpoint, 401)).toMatchObject({ which });
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
  ])('quotes the title in %s', async (body, title) => {
    expect((await classified('order', 500, body)).message).toBe(
      `order: the hub responded with 500 (${title})`,
    );
  });

  it.each(['', 'null', '[]', '"text"', '<html>', '{"title":7}', '{"title":null,"error":{}}', '{"tit'])(
    'has no title for the body %j',
    async (body) => {
      expect((await classified('order', 500, body)).message).toBe('order: the hub responded with 500');
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
  ] as const)('of %s with status %i has a remedy', async (endpoint, status, remedy) => {
    expect((await classified(endpoint, status)).message).toContain(
      `: the hub responded with ${status}; ${remedy}`,
    );
  });
});
