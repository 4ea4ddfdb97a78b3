import type { HubEvent } from 'opendelivery-client/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { FORM, itemOf, plain } from '../../fixtures/plain.js';
import { made } from './support.js';

/** What a client of the standard may send, in spellings that are not those of this package. */

const at = (path: string) => `https://hub.example/opendelivery${path}`;

it.each([
  ['Bearer ', 204],
  ['bearer ', 204],
  ['BEARER ', 204],
  ['bEaReR  ', 204],
  ['', 401],
  ['Token ', 401],
  ['Basic ', 401],
  ['Bearer', 401],
])('a token after %j gets %d', async (scheme, status) => {
  const { mock, api } = made();
  const authorization = scheme + (await api.token());
  expect((await mock.fetch(at('/v1/events:polling'), { headers: { authorization } })).status).toBe(status);
  expect(mock.requests.at(-1)?.headers.authorization).toMatch(/\[(?:token|credential) 1\]$/i);
});

describe('media types', () => {
  it.each([
    'Application/X-WWW-Form-URLencoded',
    `${FORM};charset=utf-8`,
    `${FORM.toUpperCase()} ; Charset="UTF-8"`,
  ])('of a token request: %s is accepted', async (type) => {
    const { mock, rules } = made();
    const body = 'grant_type=client_credentials&client_id=1001&client_secret=mock-client-secret';
    const request = { method: 'POST', headers: { 'content-type': type }, body };
    expect((await mock.fetch(at('/oauth/token'), request)).status).toBe(200);
    expect(rules()).toEqual([]);
  });

  it.each([
    ['APPLICATION/JSON', 202, []],
    ['application/json;charset=UTF-8', 202, []],
    ['Application/Json ; charset=utf-8', 202, []],
    ['application/jsonp', 400, ['content-type']],
    ['text/json', 400, ['content-type']],
    ['application/json, text/plain', 400, ['content-type']],
  ])('of an acknowledgment: %s gets %d', async (type, status, broken) => {
    const { mock, api, rules } = made();
    const { event } = mock.createOrder();
    expect((await api.acknowledge(await api.token(), [itemOf(event)], type)).status).toBe(status);
    expect(rules()).toEqual(broken);
  });
});

describe('orderURL', () => {
  /** Requests the orderURL of the first polled event. */
  async function requested(mock: ReturnType<typeof made>['mock'], baseUrl: string, fetch = mock.fetch) {
    const api = plain(mock, fetch, baseUrl);
    const token = await api.token();
    const [event] = (await (await api.poll(token)).json()) as HubEvent[];
    const url = event?.orderURL ?? '';
    return { url, response: await fetch(url, { headers: { authorization: `bearer ${token}` } }) };
  }

  it.each([
    ['the default', {}],
    ['a hub behind a gateway', { baseUrl: 'https://gateway.example/hub' }],
  ])('responds with the order: %s', async (_, options) => {
    const { mock } = made(options);
    const { orderId } = mock.createOrder({ orderId: 'a/b ç?' });
    const { response } = await requested(mock, mock.baseUrl);
    expect(await response.json()).toMatchObject({ id: orderId });
  });

  it.each(['127.0.0.1', 'localhost'])(
    'responds over HTTP at the address that the client uses: %s',
    async (host) => {
      const { mock } = made();
      const { url: served, close } = await mock.listen();
      onTestFinished(close);
      const { orderId } = mock.createOrder();
      const address = served.replace('127.0.0.1', host);
      const { url, response } = await requested(mock, address, globalThis.fetch);
      expect(url).toBe(`${address}/opendelivery/v1/orders/${orderId}`);
      expect(await response.json()).toMatchObject({ id: orderId });
      expect(mock.violations()).toEqual([]);
    },
  );
});
