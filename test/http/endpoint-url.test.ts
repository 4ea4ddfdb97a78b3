import { expect, it } from 'vitest';
import { ENDPOINTS } from '../../src/endpoints.js';
import { Targets } from '../../src/http/endpoint-url.js';

const address = {
  baseUrl: 'https://hub.example',
  basePath: '/opendelivery',
  tokenUrl: undefined,
  endpoints: ENDPOINTS,
};

it('is below the base path', () => {
  expect(new Targets(address).of('merchant').href).toBe('https://hub.example/opendelivery/v1/merchant');
  expect(new Targets({ ...address, basePath: '' }).of('token').href).toBe('https://hub.example/oauth/token');
});

it('is tokenUrl for the token endpoint only', () => {
  const elsewhere = { ...address, tokenUrl: 'https://login.example/token' };
  expect(new Targets(elsewhere).of('token').href).toBe('https://login.example/token');
  expect(new Targets(elsewhere).of('order', { orderId: 'a%2Fb' }).href).toBe(
    'https://hub.example/opendelivery/v1/orders/a%2Fb',
  );
});

it('has an origin and a path with the query', () => {
  expect(new Targets(address).of('merchant', undefined, 'a=1').path).toBe('/opendelivery/v1/merchant?a=1');
  const elsewhere = { ...address, tokenUrl: 'https://login.example:8443/token?tenant=1' };
  expect(new Targets(elsewhere).of('token')).toEqual({
    origin: 'https://login.example:8443',
    path: '/token?tenant=1',
    href: 'https://login.example:8443/token?tenant=1',
  });
});
