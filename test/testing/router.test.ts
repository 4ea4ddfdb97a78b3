import { ENDPOINTS } from 'opendelivery-client';
import { describe, expect, it } from 'vitest';
import { belowBasePath, matchRoute, patternsOf, prefixesOf } from '../../src/testing/router.js';

const PATTERNS = patternsOf(ENDPOINTS);

describe('matchRoute', () => {
  it.each([
    ['POST', '/oauth/token', 'token', {}],
    ['GET', '/v1/events:polling', 'polling', {}],
    ['GET', '/v1/events%3Apolling', 'polling', {}],
    ['GET', '/%76%31/%6frders/%7b1%7D', 'order', { orderId: '{1}' }],
    ['GET', '/v1/orders/a%2Fb', 'order', { orderId: 'a/b' }],
    ['POST', '/v1/orders/o-1/confirm', 'orderStatus', { orderId: 'o-1', status: 'confirm' }],
  ])('%s %s is the endpoint %s', (method, path, endpoint, parameters) => {
    expect(matchRoute(PATTERNS, method, path)).toEqual({ endpoint, parameters });
  });

  it.each([
    ['GET', '/oauth/token'],
    ['GET', '/v1/events_polling'],
    ['GET', '/v1/events:pollingX'],
    ['GET', '/v1/orders/'],
    ['GET', '/v1/orders/%ZZ'],
    ['GET', '/v1/events/polling'],
    ['GET', '/v1%2Fevents:polling'],
    ['GET', '/V1/merchant'],
  ])('%s %s is not an endpoint', (method, path) => {
    expect(matchRoute(PATTERNS, method, path)).toBeUndefined();
  });
});

describe('belowBasePath', () => {
  const gateway = { baseUrl: 'https://gateway.example/hub', basePath: '/opendelivery' };

  it.each([
    ['/hub/opendelivery/v1/merchant', '/v1/merchant'],
    ['/opendelivery/v1/merchant', '/v1/merchant'],
    ['/%68ub/open%64elivery/v1/merchant', '/v1/merchant'],
    ['/opendelivery/%76%31/merchant', '/%76%31/merchant'],
    ['/%ZZ/v1/merchant', undefined],
    ['/v1/merchant', undefined],
    ['/opendeliveryX/v1/merchant', undefined],
  ])('%s gives %s', (pathname, path) => {
    expect(belowBasePath(pathname, prefixesOf(gateway))).toBe(path);
  });

  it('accepts an empty base path', () => {
    const options = { baseUrl: 'https://hub.example', basePath: '' };
    expect(belowBasePath('/v1/merchant', prefixesOf(options))).toBe('/v1/merchant');
  });
});
