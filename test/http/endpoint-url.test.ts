import { expect, it } from 'vitest';
import { endpointUrl } from '../../src/http/endpoint-url.js';

const address = { baseUrl: 'https://hub.example', basePath: '/opendelivery', tokenUrl: undefined };

it('is below the base path', () => {
  expect(endpointUrl(address, 'merchant', '/v1/merchant').href).toBe(
    'https://hub.example/opendelivery/v1/merchant',
  );
  expect(endpointUrl({ ...address, basePath: '' }, 'token', '/oauth/token').href).toBe(
    'https://hub.example/oauth/token',
  );
});

it('is tokenUrl for the token endpoint only', () => {
  const elsewhere = { ...address, tokenUrl: 'https://login.example/token' };
  expect(endpointUrl(elsewhere, 'token', '/oauth/token').href).toBe('https://login.example/token');
  expect(endpointUrl(elsewhere, 'order', '/v1/orders/a%2Fb').href).toBe(
    'https://hub.example/opendelivery/v1/orders/a%2Fb',
  );
});
