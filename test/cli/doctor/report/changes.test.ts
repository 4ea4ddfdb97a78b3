import { ENDPOINTS, type EndpointName } from 'opendelivery-client';
import type { FaultLike, MockHub } from 'opendelivery-client/testing';
import { expect, it, onTestFinished, vi } from 'vitest';
import { some } from '../../../runs.js';
import { at, type Change, changedHub, differing, reported } from './changed-hub.js';

const answers = (endpoint: EndpointName, to: number, from?: number) =>
  at(endpoint, (answer) => {
    if (from === undefined || answer.status === from) answer.status = to;
  });
const header = (endpoint: EndpointName, name: string, value?: string) =>
  at(endpoint, ({ headers }) => (value === undefined ? headers.delete(name) : headers.set(name, value)));
const menu = (change: Parameters<MockHub['publishMerchant']>[0]): Change => ({
  prepare: (mock) => mock.publishMerchant(change),
});
const fault = (endpoint: EndpointName, ...next: [fault: FaultLike, times?: number]): Change => ({
  prepare: (mock) => mock.faults.next(endpoint, ...next),
});
const REMAINING = 'x-ratelimit-remaining';
const EMPTY = { status: 200, text: '' };
const LATER = 'Mon, 05 Jan 2026 13:00:03 GMT';

/** Single changes of the mock hub, and the check that must find each. */
const CHANGES: ReadonlyArray<readonly [string, string, Change]> = [
  // status
  ['a token is issued with 201', 'token.status', answers('token', 201, 200)],
  ['a wrong secret gets 400', 'token.wrong_secret', answers('token', 400, 401)],
  ['an unknown grant type gets 401', 'token.wrong_grant', answers('token', 401, 400)],
  ['a wrong API key gets 403', 'merchant.wrong_key', { options: { badKeyStatus: 403 } }],
  ['a wrong API key gets the menu', 'merchant.wrong_key', answers('merchant', 200)],
  ['a wrong token gets 403 for an order', 'order.wrong_token', answers('order', 403, 401)],
  ['a wrong token may acknowledge', 'acknowledgment.wrong_token', answers('acknowledgment', 202, 401)],
  ['an unknown event gets 202', 'acknowledgment.unknown_event', answers('acknowledgment', 202, 400)],
  ['an unknown order gets 202', 'orderStatus.unknown_order', answers('orderStatus', 202)],
  ['an unknown order gets 500', 'orderStatus.unknown_order', answers('orderStatus', 500)],
  [
    'an unknown order gets 200 without a body',
    'order.status',
    { isIdle: true, ...at('order', (answer) => answer.isAuthorized && Object.assign(answer, EMPTY)) },
  ],
  [
    'a poll without events gets 404',
    'polling.status',
    { isIdle: true, ...at('polling', (answer) => Object.assign(answer, { status: 404, text: '' })) },
  ],
  ['the merchant document gets 503', 'merchant.status', fault('merchant', 503, 3)],
  // header
  ['there are no X-RateLimit headers', 'polling.limit', { options: { limitHeaders: false } }],
  ['the token is text/html', 'token.content_type', header('token', 'content-type', 'text/html')],
  ['a poll has no content type', 'polling.content_type', header('polling', 'content-type')],
  ["the hub's clock is an hour ahead", 'token.clock', header('token', 'date', LATER)],
  ['the reset is an instant', 'order.reset', header('order', 'x-ratelimit-reset', '1767614403')],
  ['Retry-After is missing', 'order.rate_limited', fault('order', { status: 429 })],
  [
    'Retry-After is a date',
    'polling.rate_limited',
    fault('polling', { status: 429, headers: { 'retry-after': LATER } }),
  ],
  [
    'errors are pages',
    'order.error_body',
    at('order', (answer) => {
      if (answer.status !== 401) return;
      answer.headers.set('content-type', 'text/html');
      answer.text = '<h1>no</h1>';
    }),
  ],
  [
    'errors are in an envelope',
    'acknowledgment.error_body',
    at('acknowledgment', (answer) => (answer.json = { error: { code: 'x', message: 'y' } })),
  ],
  // field
  ['expires_in is a string', 'token.expires_in', { options: { expiresIn: 'text' } }],
  ['expires_in is absent', 'token.expires_in', { options: { expiresIn: 'absent' } }],
  ['expires_in is an instant', 'token.expires_in', { options: { expiresIn: 'epoch' } }],
  [
    'the token is in accessToken',
    'token.access_token',
    at('token', (answer) => {
      const { access_token: accessToken, ...others } = answer.json;
      if (answer.isAuthorized) answer.json = { accessToken, ...others };
    }),
  ],
  ['the type of the token is mac', 'token.token_type', at('token', ({ json }) => (json.token_type = 'mac'))],
  [
    'events are in an object',
    'polling.body',
    at('polling', (answer) => (answer.json = { events: answer.json })),
  ],
  ['an event has no createdAt', 'polling.fields', at('polling', ({ json }) => delete json[1].createdAt)],
  [
    'the id of an event is in `id`',
    'polling.fields',
    at('polling', ({ json }) => (json[0] = { ...json[0], id: json[0].eventId, eventId: undefined })),
  ],
  ['an event has another type', 'polling.event_types', { prepare: (mock) => mock.emit('REFUNDED') }],
  ['an event has no orderURL', 'polling.order_url', at('polling', ({ json }) => delete json[2].orderURL)],
  ['a unit is SLICE', 'merchant.fields', menu((merchant) => void (merchant.items[0].unit = 'SLICE'))],
  ['an item has no status', 'merchant.fields', menu((merchant) => void delete merchant.items[0].status)],
  [
    'a price is a string',
    'merchant.fields',
    menu((merchant) => void (merchant.itemOffers[0].price.value = '15.90')),
  ],
  [
    'an order does not add up',
    'order.fields',
    at('order', ({ json }) => json.total && (json.total.orderAmount.value += 1)),
  ],
  ['an order has another id', 'order.id', at('order', ({ json }) => json.items && (json.id = 'another'))],
  // order
  ['events are shuffled', 'polling.order', at('polling', ({ json }) => json.reverse())],
  ['an event comes twice', 'polling.repeated', fault('polling', 'duplicate')],
  [
    'an event comes once, whether it was acknowledged or not',
    'polling.again',
    at('polling', (answer) => answer.count > 1 && (answer.json = [])),
  ],
  [
    'the menu changes without lastUpdate',
    'merchant.again',
    at('merchant', ({ count, json }) => count > 1 && json.items?.reverse()),
  ],
  [
    'a poll has more events than the standard allows',
    'polling.size',
    at('polling', (answer) => {
      const [event] = answer.json;
      answer.json = Array.from({ length: 1001 }, (_, index) => ({
        ...event,
        eventId: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
      }));
    }),
  ],
  // quota
  ['a minute has 5 polls', 'polling.limit', header('polling', 'x-ratelimit-limit', '5')],
  ['the remaining requests do not decrease', 'order.remaining', header('order', REMAINING, '99')],
  ['more requests remain than are allowed', 'token.remaining', header('token', REMAINING, '11')],
  [
    'the second poll of a minute gets 429',
    'polling.rate_limited',
    at('polling', (answer) => answer.count === 2 && (answer.status = 429)),
  ],
  // lifetime
  [
    "the merchant endpoint's clock is a day behind",
    'merchant.clock',
    header('merchant', 'date', 'Sun, 04 Jan 2026 12:00:03 GMT'),
  ],
  ['a token is valid for an hour', 'token.lifetime', { options: { tokenLifetimeMs: 3_600_000 } }],
  ['a menu is valid for 0 seconds', 'merchant.ttl', menu({ TTL: 0 })],
  ['a menu is valid for two days', 'merchant.ttl', menu({ TTL: 172_800 })],
  ['a menu is of tomorrow', 'merchant.last_update', menu({ lastUpdate: '2026-01-06T12:00:00Z' })],
];

const ENDPOINT_NAMES = Object.keys(ENDPOINTS) as EndpointName[];

it('has a change for each check; for those that all endpoints have, of one endpoint', async () => {
  const { clock } = await changedHub();
  const ids = (await reported(clock)).checks.map(({ id }) => id);
  const kindOf = (id: string) => {
    const [, kind = ''] = id.split('.');
    return ENDPOINT_NAMES.every((name) => ids.includes(`${name}.${kind}`)) ? kind : id;
  };
  const found = new Set([...CHANGES.map(([, id]) => kindOf(id)), 'reset', 'remaining', 'limit']);
  expect(ids.map(kindOf).filter((kind) => !found.has(kind))).toEqual([]);
});

it.each(some(CHANGES, 8))('the report finds that %s', async (_name, id, change) => {
  const { clock, mock } = await changedHub(change);
  const report = await reported(clock);
  expect(differing(report)).toContain(id);
  expect(report.requests.keptLimits).toBe(true);
  expect(mock.violations()).toEqual([]);
});

it('a date without a zone is UTC also west of Greenwich', async () => {
  vi.stubEnv('TZ', 'America/Sao_Paulo');
  onTestFinished(() => void vi.unstubAllEnvs());
  const { clock } = await changedHub({
    ...menu({ lastUpdate: '2026-01-05T11:00:00' }),
    ...at('polling', ({ json }) => {
      if (json?.[0]) json[0].createdAt = json[0].createdAt.replace('Z', '');
    }),
  });
  const found = differing(await reported(clock));
  expect(found).not.toContain('merchant.last_update');
  expect(found).not.toContain('polling.order');
});

it.each(ENDPOINT_NAMES)('the report finds other limits in the headers of %s', async (endpoint) => {
  const { clock } = await changedHub(
    at(endpoint, ({ headers }) => {
      headers.set('x-ratelimit-limit', '7');
      headers.set('x-ratelimit-remaining', 'many');
      headers.set('x-ratelimit-reset', '3601');
    }),
  );
  const found = differing(await reported(clock));
  expect(found).toEqual(['limit', 'remaining', 'reset'].map((name) => `${endpoint}.${name}`));
});

it.each<[string, Change, string]>([
  ['the unchanged mock hub', {}, ''],
  ['the unchanged mock hub without events', { isIdle: true }, ''],
  ['the unchanged mock hub, without writing', {}, '--read-only'],
  ['a mock hub that says [] instead of 204', { isIdle: true, options: { emptyPoll: '[]' } }, ''],
  ['a mock hub with fixed windows', { options: { windows: 'fixed' } }, ''],
])('the report on %s has no difference', async (_name, change, options) => {
  const { clock } = await changedHub(change);
  const { checks, summary } = await reported(clock, options);
  expect(checks.filter(({ result }) => result === 'differs')).toEqual([]);
  expect(summary.as_described).toBeGreaterThan(40);
});
