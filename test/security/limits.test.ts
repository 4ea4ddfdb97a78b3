import { isHubError } from 'opendelivery-client';
import { createMockHub, ManualClock } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { some } from '../runs.js';
import { limitBreaches, requestsTo, stage } from '../support.js';

const NOW = '2026-01-05T12:00:00Z';

const RETRY_AFTERS = [
  '0',
  '-86400',
  '0.5',
  '1e9',
  'Infinity',
  'NaN',
  '31536000',
  '9'.repeat(400),
  '1, 2',
  'soon',
  '',
  'Thu, 01 Jan 1970 00:00:00 GMT',
  'Fri, 31 Dec 9999 23:59:59 GMT',
  'Monday, 05-Jan-26 12:00:30 GMT',
  '2026-01-05T12:00:30Z',
  '1767614430000',
];

const RESETS = [
  ['0', '-1'],
  ['0', '0'],
  ['0', '31536000'],
  ['0', '1767614430'],
  ['0', '1767614430000'],
  ['0', '1e9'],
  ['0', 'Infinity'],
  ['0', '9'.repeat(400)],
  ['0', 'soon'],
  ['-1', '60'],
  ['1e9', '60'],
  ['x', ''],
] as const;

/** One virtual hour of a poller; in the first twenty minutes the hub sends these headers and this status. */
async function anHour(
  faultyHeaders: Record<string, string>,
  status: number | undefined,
  expiresIn?: unknown,
) {
  const clock = new ManualClock(NOW);
  const mock = createMockHub({ clock });
  let isFaulty = true;
  const { hub } = stage(
    {},
    {
      clock,
      baseUrl: mock.baseUrl,
      fetch: async (url, init) => {
        const response = await mock.fetch(url, init);
        const isToken = String(url).endsWith('/token');
        const body =
          isToken && expiresIn !== undefined ? withLifetime(await response.text(), expiresIn) : response.body;
        if (!isFaulty) return new Response(body, { status: response.status, headers: response.headers });
        const headers = new Headers(response.headers);
        for (const [name, value] of Object.entries(faultyHeaders)) headers.set(name, value);
        if (status !== undefined && !isToken) return new Response('{}', { status, headers });
        return new Response(body, { status: response.status, headers });
      },
    },
  );
  const poller = hub.poller().on('error', () => {});
  let handled = 0;
  poller.on('event', () => void (handled += 1));
  const errors: unknown[] = [];
  const started = poller.start().catch((error: unknown) => void errors.push(error));
  const call = (work: Promise<unknown>) => void work.catch((error: unknown) => void errors.push(error));
  for (let minute = 0; minute < 20; minute += 1) {
    call(hub.merchant.get({ fresh: true }));
    call(hub.orders.get('1'));
    await clock.advance('1m');
  }
  isFaulty = false;
  mock.createOrder();
  await clock.advance('40m');
  const polls = requestsTo(mock, 'polling');
  await poller.stop();
  await started;
  await hub.close();
  for (const error of errors) expect(isHubError(error) || error instanceof Error).toBe(true);
  return { mock, polls, handled };
}

function withLifetime(body: string, expiresIn: unknown): string {
  const text = JSON.stringify({ ...(JSON.parse(body) as object), expires_in: 0 });
  return text.replace(
    '"expires_in":0',
    `"expires_in":${typeof expiresIn === 'string' ? expiresIn : JSON.stringify(expiresIn)}`,
  );
}

describe('429 with Retry-After', () => {
  it.each(some(RETRY_AFTERS, 8))(
    '%j makes the client neither exceed the limits nor stop polling',
    async (value) => {
      const { mock, polls, handled } = await anHour({ 'retry-after': value }, 429);
      expect(limitBreaches(mock.requests)).toEqual([]);
      // The client polls now and then while it is refused, and handles the order that comes afterwards.
      expect(polls.length).toBeGreaterThan(40);
      expect(handled).toBe(1);
    },
  );
});

describe('X-RateLimit headers', () => {
  it.each(some(RESETS))(
    'with remaining %j and reset %j make the client neither exceed the limits nor stop polling',
    async (remaining, reset) => {
      const headers = {
        'x-ratelimit-limit': '0',
        'x-ratelimit-remaining': remaining,
        'x-ratelimit-reset': reset,
      };
      const { mock, polls, handled } = await anHour(headers, undefined);
      expect(limitBreaches(mock.requests)).toEqual([]);
      expect(polls.length).toBeGreaterThan(75);
      expect(handled).toBe(1);
    },
  );
});

describe('expires_in', () => {
  const LIFETIMES = [
    '0',
    '-1',
    '1e-9',
    '1',
    '1e12',
    '1e18',
    '1e999',
    '"NaN"',
    '"1e18"',
    '"soon"',
    'null',
    '[604800]',
    '{"seconds":604800}',
    '1767614400000',
  ];

  it.each(some(LIFETIMES, 8))(
    'of %s causes at most ten token requests per hour, and no limit is exceeded',
    async (expiresIn) => {
      const { mock } = await anHour({}, undefined, expiresIn);
      expect(limitBreaches(mock.requests)).toEqual([]);
      expect(requestsTo(mock, 'token').length).toBeGreaterThan(0);
    },
  );
});
