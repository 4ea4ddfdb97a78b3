import { expect, it } from 'vitest';
import { targetOf } from '../../src/http/endpoint-url.js';

const address = { baseUrl: 'https://hub.example', basePath: '/opendelivery', tokenUrl: undefined };

it('is below the base path', () => {
  expect(targetOf(address, 'merchant', '/v1/merchant').href).toBe(
    'https://hub.example/opendelivery/v1/merchant',
  );
  expect(targetOf({ ...address, basePath: '' }, 'token', '/oauth/token').href).toBe(
    'https://hub.example/oauth/token',
  );
});

it('is tokenUrl for the token endpoint only', () => {
  const elsewhere = { ...address, tokenUrl: 'https://login.example/token' };
  expect(targetOf(elsewhere, 'token', '/oauth/token').href).toBe('https://login.example/token');
  expect(targetOf(elsewhere, 'order', '/v1/orders/a%2Fb').href).toBe(
    'https://hub.example/opendelivery/v1/orders/a%2Fb',
  );
});

it('has an origin and a path with the query', () => {
  const elsewhere = { ...address, tokenUrl: 'https://login.example:8443/token?tenant=1' };
  expect(targetOf(elsewhere, 'token', '/oauth/token')).toEqual({
    origin: 'https://login.example:8443',
    path: '/token?tenant=1',
    href: 'https://login.example:8443/token?tenant=1',
  });
});
