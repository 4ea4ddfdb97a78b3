import { describe, expect, it } from 'vitest';
import { lenientReader } from '../../src/reading/fields.js';
import { event as eventReader } from '../../src/reading/generated/event.js';
import { token } from '../../src/reading/generated/token.js';
import type { Json } from '../../src/testing/fixtures.js';
import { pathsAndCodes } from './support.js';

describe('an event', () => {
  const read = lenientReader(eventReader);
  const event: Json = {
    eventId: 'e',
    eventType: 'CREATED',
    orderId: 'o',
    createdAt: '2026-05-04T03:02:01Z',
    orderURL: 'https://hub.example/o',
  };

  it.each([
    ['id', 'eventId'],
    ['status', 'eventType'],
    ['code', 'eventType'],
    ['orderUrl', 'orderURL'],
  ])('%s is read as %s', (alias, key) => {
    const { [key]: value, ...rest } = event;
    const reading = read({ ...rest, [alias]: value });
    expect(pathsAndCodes(reading)).toEqual([`${alias} alias`]);
    expect(reading.usable && reading.value).toMatchObject(event);
  });

  it.each<[change: Json, issues: string[]]>([
    [{ eventType: 'RIDER_NEAR' }, ['eventType unknown_value']],
    [{ createdAt: '2022-08-08T13:38:01.2791544Z' }, []],
    [{ createdAt: '0001-01-01T00:00:00' }, ['createdAt format']],
    [{ eventId: 'not a uuid', orderId: '17' }, []],
    [{ sourceAppId: 'app', virtualBrand: 'brand', metadata: { any: [{ depth: null }] }, more: 1 }, []],
  ])('with %j is kept unchanged', (change, issues) => {
    const reading = read({ ...event, ...change });
    expect(pathsAndCodes(reading)).toEqual(issues);
    expect(reading.usable && reading.value).toEqual({ ...event, ...change });
  });

  it.each<[change: Json, issues: string[], read: Json]>([
    [{ createdAt: null }, ['createdAt null'], {}],
    [{ metadata: null, sourceAppId: null }, ['sourceAppId null', 'metadata null'], {}],
    [{ metadata: 'none' }, ['metadata invalid'], {}],
    [{ orderId: 17 }, ['orderId coerced'], { orderId: '17' }],
  ])('with %j has issues', (change, issues, expected) => {
    const reading = read({ ...event, ...change });
    expect(pathsAndCodes(reading)).toEqual(issues);
    expect(reading.usable && JSON.parse(JSON.stringify(reading.value))).toMatchObject(expected);
  });

  it.each(['eventId', 'eventType', 'orderId'])('without %s is unusable', (key) => {
    expect(pathsAndCodes(read({ ...event, [key]: null }))).toEqual([`${key} null`]);
    expect(read({ ...event, [key]: {} }).usable).toBe(false);
  });
});

describe('a token', () => {
  const read = lenientReader(token);

  it.each<[body: Json, issues: string[], read: Json]>([
    [
      { access_token: 't', token_type: 'bearer', expires_in: 604_800 },
      [],
      { access_token: 't', expires_in: 604_800 },
    ],
    [{ access_token: 't' }, [], { access_token: 't' }],
    [{ access_token: 't', token_type: 'BEARER' }, ['token_type unknown_value'], { access_token: 't' }],
    [{ access_token: 't', expires_in: '3600' }, ['expires_in coerced'], { expires_in: 3600 }],
    [{ access_token: 't', expires_in: 1_703_271_283_598 }, [], { expires_in: 1_703_271_283_598 }],
    [{ access_token: 't', expires_in: 'a week' }, ['expires_in invalid'], { access_token: 't' }],
    [
      { accessToken: 't', tokenType: 'Bearer', expiresIn: 60 },
      ['accessToken alias', 'tokenType alias', 'expiresIn alias'],
      { access_token: 't', token_type: 'Bearer', expires_in: 60 },
    ],
  ])('%j is read', (body, issues, expected) => {
    const reading = read({ ...body });
    expect(pathsAndCodes(reading)).toEqual(issues);
    expect(reading.usable && reading.value).toMatchObject(expected);
  });

  it.each([{}, { access_token: null }, { token: 't' }, { access_token: {} }])('%j is unusable', (body) => {
    expect(read(body).usable).toBe(false);
  });
});
