import fc from 'fast-check';
import { ENDPOINTS, type EndpointName } from 'opendelivery-client';
import { expect, it } from 'vitest';
import type { Exchange, Purpose } from '../../../../src/cli/doctor/checks/observed.js';
import { htmlOf } from '../../../../src/cli/doctor/report/html.js';
import { junitOf } from '../../../../src/cli/doctor/report/junit.js';
import { reportOn } from '../../../../src/cli/doctor/report/report.js';
import { runs, some } from '../../../runs.js';
import { isMerchant, own, parsed, published } from '../../../schemas/documents.js';
import { exits } from '../../support.js';
import { changedHub } from './changed-hub.js';

const AT = Date.parse('2026-01-05T12:00:00Z');

// Of the report itself: thousands of hubs that answer anything would take minutes at the command line.
const rendered = (exchanges: readonly Exchange[]) => {
  const report = reportOn({ exchanges, results: {} }, { hub: 'hub.example', at: AT, calls: [] });
  return JSON.stringify(report) + htmlOf(report) + junitOf(report);
};

/** What a report says of itself must not count as a secret. */
const OWN_WORDS = rendered([]).toLowerCase();

/** Texts and numbers as in credentials and in the data of a customer. */
const privateText = fc
  .oneof(
    fc.stringMatching(/^[A-Za-z0-9 ~!@#%+=._-]{6,30}$/),
    fc.stringMatching(/^[1-9]\d{7,13}$/),
    fc.constantFrom('Maria da Conceição', 'maria@example.com', 'Rua Augusta 1500', '+55 11 98765-4321'),
    fc.constantFrom("<script>alert('x')</script>", 'application/x-maria', '2026-01-05 Maria'),
  )
  .filter((text) => !OWN_WORDS.includes(text.toLowerCase()));

const privateValue = fc.oneof(privateText, fc.integer({ min: 10_000_000 }), fc.constantFrom(null, true, []));

const KEYS = [
  ...['eventId', 'eventType', 'orderId', 'createdAt', 'orderURL', 'id', 'displayId', 'items', 'total', 'TTL'],
  ...['lastUpdate', 'status', 'title', 'access_token', 'token_type', 'expires_in', 'customer', 'basicInfo'],
];

/** A document with known keys, private keys and private values. */
const document = fc.letrec((tie) => ({
  any: fc.oneof(
    { depthSize: 'small' },
    privateValue,
    fc.dictionary(fc.oneof(fc.constantFrom(...KEYS), privateText), tie('any')),
    fc.array(tie('any'), { maxLength: 4 }),
  ),
})).any;

const exchange: fc.Arbitrary<Exchange> = fc.record({
  endpoint: fc.constantFrom(...(Object.keys(ENDPOINTS) as EndpointName[])),
  purpose: fc.constantFrom<Purpose>('first', 'again', 'wrong_credential', 'malformed'),
  at: fc.constant(AT),
  status: fc.constantFrom(200, 200, 200, 204, 400, 401, 404, 429, 500, undefined),
  headers: fc.dictionary(
    fc.constantFrom('content-type', 'date', 'retry-after', 'x-ratelimit-limit', 'x-ratelimit-reset'),
    privateText,
  ),
  body: fc.option(
    fc.oneof(
      privateText,
      document.map((value) => JSON.stringify(value)),
    ),
    { nil: undefined },
  ),
});

/** Every string and every long number in a document. */
function valuesIn(value: unknown): string[] {
  if (typeof value === 'string') return value.length >= 6 ? [value] : [];
  if (typeof value === 'number') return Math.abs(value) >= 10_000_000 ? [String(value)] : [];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(valuesIn) : [];
}

/** The keys that are not of the standard: a hub may use a name as a key. */
function privateKeysIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = Array.isArray(value) ? [] : Object.keys(value).filter((key) => !KEYS.includes(key));
  return [...own, ...Object.values(value).flatMap(privateKeysIn)];
}

const isLeaked = (output: string) => (text: string) =>
  [text, JSON.stringify(text).slice(1, -1), text.replaceAll('<', '&lt;').replaceAll("'", '&#39;')].some(
    (each) => output.includes(each),
  );

it('shows no text that the hub has sent, wherever it was', { tags: 'slow' }, () => {
  fc.assert(
    fc.property(fc.array(exchange, { maxLength: 20 }), (exchanges) => {
      const output = rendered(exchanges);
      const sent = exchanges.flatMap(({ headers, body = '' }) => {
        let json: unknown = body;
        try {
          json = JSON.parse(body);
        } catch {}
        return [...Object.values(headers), ...valuesIn(json), ...privateKeysIn(json)];
      });
      // An id such as `CREATED` is a word of the report, not of a customer.
      const leaked = sent.filter((text) => !OWN_WORDS.includes(text.toLowerCase())).filter(isLeaked(output));
      expect(leaked).toEqual([]);
    }),
    { numRuns: runs(200, 8) },
  );
});

/** All texts of an order, except words of the standard and what is not about a person. */
function customerDataOf(order: unknown): string[] {
  const texts = valuesIn(order).filter((text) => /[^A-Z_]/.test(text));
  return [...new Set(texts)].filter((text) => !OWN_WORDS.includes(text.toLowerCase()));
}

const orders = [...own, ...published].filter(([name]) => !isMerchant(name));

it.each(some(orders, 3))('shows no field of the sample order %s, and no credential', async (_name, file) => {
  const order = parsed(file);
  const { clock, mock } = await changedHub({ isIdle: true });
  const { orderId, event } = mock.createOrder(order as Record<string, unknown>);
  const secrets = [
    ...Object.values(mock.credentials).filter((each) => each.length > 4),
    orderId,
    event.eventId,
  ];
  const data = customerDataOf(order);
  expect(data.length).toBeGreaterThan(1);
  for (const format of ['html', 'json', 'junit']) {
    const ran = await exits(0, `doctor --report ${format}`, { clock });
    expect([...secrets, ...data].filter(isLeaked(ran.out + ran.err))).toEqual([]);
    await clock.advance('1h');
  }
});
