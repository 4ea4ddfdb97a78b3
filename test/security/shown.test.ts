import { inspect } from 'node:util';
import { type HubError, type Logger, ServerError } from 'opendelivery-client';
import { createMockHub, ManualClock } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { failure, clientOf as rawClientOf, rawServer, sends } from '../http/support.js';
import { afterAdvance, clientOf, gate, HUB_EVENTS, stage } from '../support.js';
import { Recorder } from '../tracing/support.js';

/** A customer, as a hub writes one into its documents and error pages. */
const NAME = 'Maria Aparecida dos Santos';
const DOCUMENT = '390.533.447-05';
const PHONE = '+55 11 98765-4321';
const PERSONAL = new RegExp([NAME, DOCUMENT, PHONE].map((text) => text.replace(/[.+()]/g, '\\$&')).join('|'));
const customer = `${NAME}, CPF ${DOCUMENT}, ${PHONE}`;

/** All that the usual ways of printing show of a value. */
const shown = (value: unknown) =>
  [
    inspect(value, { showHidden: true, depth: null, maxStringLength: null }),
    JSON.stringify(value),
    JSON.stringify({ ...Object(value) }),
    String(value),
    String(Object(value).stack),
  ].join('\n');

describe("a customer's data", () => {
  it('in an error page can be read in code, and is not shown', async () => {
    const lines: string[] = [];
    const keep = (...words: unknown[]) => void lines.push(...words.map(shown));
    const logger: Logger = { debug: keep, info: keep, warn: keep, error: keep };
    const server = await rawServer(
      sends(500, JSON.stringify({ title: 'the order is invalid', customer, detail: 'ã'.repeat(9000) })),
    );
    const { hub } = rawClientOf(server.url, { logger, retry: { attempts: 1 } });
    for (const name of HUB_EVENTS) hub.on(name, keep);
    const error = await failure(hub.merchant.get(), ServerError);
    expect(error.body).toContain(NAME);
    // Whole characters, of which each has two bytes.
    expect(4096 - Buffer.byteLength(error.body)).toBeOneOf([0, 1]);
    // A secret of three letters is shorter than its mask.
    const { url } = await rawServer(sends(500, 'xyz'.repeat(3000)));
    const short = rawClientOf(url, { apiKey: 'xyz', retry: { attempts: 1 } });
    const masked = await failure(short.hub.merchant.get(), ServerError);
    expect(Buffer.byteLength(masked.body)).toBeLessThanOrEqual(4096);
    expect(Object.keys(error)).not.toContain('body');
    expect(error.title).toBe('the order is invalid');
    expect(JSON.parse(JSON.stringify(error))).toMatchObject({ status: 500, title: 'the order is invalid' });
    expect(shown(error)).not.toMatch(PERSONAL);
    expect(lines.join('\n')).not.toMatch(PERSONAL);
  });

  it('of the wrong type in an order is not in the issues, whatever the field', async () => {
    const bodies = [
      { id: '1', type: customer, displayId: 7, createdAt: customer, customer, items: [customer] },
      { id: '1', customer: { name: 7, phone: { number: [PHONE] } }, total: { itemsPrice: customer } },
      { id: '1', takeout: { billingAddress: customer } },
      {
        id: '1',
        takeout: { billingAddress: { country: { customer }, street: [customer], streetName: [PHONE] } },
      },
      customer,
      [customer, customer],
    ];
    const schema = {
      '~standard': {
        version: 1 as const,
        vendor: 'own',
        validate: () => ({
          issues: [{ message: `expected a number, got "${customer}"`, path: ['customer'] }],
        }),
      },
    };
    for (const body of bodies) {
      const server = await rawServer((response, { url }) =>
        sends(200, JSON.stringify(url.endsWith('/token') ? { access_token: 'a-token' } : body))(response),
      );
      const { hub } = rawClientOf(server.url);
      const read = await hub.orders.get('1').then(
        ({ issues }) => issues,
        (error: HubError) => error,
      );
      expect(shown(read)).toMatch(/path|InvalidResponseError/);
      expect(shown(read)).not.toMatch(PERSONAL);
      const refused = (await hub.orders.get('1', { schema }).catch((error: unknown) => error)) as HubError;
      expect(refused).toMatchObject({ code: 'invalid_response', issues: [{ path: ['customer'] }] });
      expect(shown(refused)).not.toMatch(PERSONAL);
    }
  });

  it("behind a listener's error is not in the log, and the error reaches `error` as it was thrown", async () => {
    const fields: unknown[] = [];
    const keep = (_message: string, of?: object) => void fields.push(of);
    const { mock, hub, clock } = stage({}, { logger: { debug: keep, info: keep, warn: keep, error: keep } });
    const thrown = Object.assign(new Error('the row was refused'), { code: '23505', row: { customer } });
    const poller = hub.poller().on('CREATED', () => {
      throw thrown;
    });
    const { event } = mock.createOrder();
    await poller.start();
    expect(fields).toMatchObject([
      { error: { message: 'the row was refused', code: '23505' }, eventId: event.eventId, attempt: 1 },
    ]);
    expect(shown(fields)).toContain('shown.test.ts');
    expect(shown(fields)).not.toMatch(PERSONAL);
    const errors: unknown[] = [];
    poller.on('error', (error) => void errors.push(error));
    await clock.advance('31s');
    expect(errors[0]).toBe(thrown);
  });
});

it('an id that a hub made of a secret, or of a megabyte, is masked and cut in spans, errors and reports', async () => {
  const clock = new ManualClock();
  const mock = createMockHub({ clock });
  const { clientSecret } = mock.credentials;
  const id = `${clientSecret}${'9'.repeat(1_000_000)}`;
  const event = { eventId: id, orderId: id, eventType: 'CREATED', createdAt: '2026-01-05T12:00:00Z' };
  const { hub } = clientOf(mock, {
    clock,
    fetch: async (url, init) =>
      String(url).endsWith('events:polling')
        ? Response.json([event])
        : mock.fetch(new Request(url, init as RequestInit)),
  });
  const recorder = new Recorder();
  const contexts: unknown[] = [];
  const poller = hub.poller().on('error', (_error, context) => void contexts.push(context));
  poller.on('CREATED', () => {
    throw new Error('out of paper');
  });
  await poller.start();
  const spans = recorder.of('opendelivery:listener').map(({ context }) => context);
  const cut = `[secret]${'9'.repeat(200 - clientSecret.length)}`;
  expect(spans).toMatchObject([{ eventIds: [cut], orderId: cut }]);
  expect(contexts).toEqual([{ eventId: cut, orderId: cut, attempt: 1 }]);
  expect((await poller.stop()).unacknowledged[0]).toMatch(/^\[secret\]9/);
});

it('control characters and line breaks of a hub are blanks where it is quoted: it cannot write lines into a log', async () => {
  const forged = 'x)\r\n2026-11-27 ERROR \u001b[31mdeleted\u0085\u2028now\u0000\t.';
  const title = 'x)  2026-11-27 ERROR  [31mdeleted  now  .';
  const page = JSON.stringify({ title: forged }, undefined, 2);
  const server = await rawServer(sends(500, page));
  const { hub } = rawClientOf(server.url, { retry: { attempts: 1 } });
  const error = await failure(hub.merchant.get(), ServerError);
  expect(error).toMatchObject({ title, message: expect.stringContaining(title) });
  // It can be read in code, as the hub has sent it.
  expect(error.body).toBe(page);
  const { mock, hub: other, log } = stage();
  const { orderId } = mock.createOrder();
  mock.emit(`REFUNDED${forged}`, { orderId });
  const poller = other.poller().on('event', ({ eventType }) => {
    if (eventType !== 'CREATED') throw new Error('out of paper');
  });
  await poller.start();
  expect(log).toHaveLength(1);
  expect(log[0]).toContain(`a listener of REFUNDED${title} failed`);
  expect(log.join()).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u);
});

it('a stop that timed out does not report the late acknowledgment of its listener', async () => {
  const { clock, mock, hub } = stage();
  const printed = gate();
  const errors: unknown[] = [];
  const poller = hub.poller().on('error', (error) => void errors.push(error.message));
  poller.on('acknowledgeFailed', ({ error }) => void errors.push(String(error)));
  poller.on('CREATED', () => printed.promise);
  const { event } = mock.createOrder();
  await poller.start();
  expect(await afterAdvance(clock, '1s', poller.stop({ timeoutMs: 1000 }))).toMatchObject({
    timedOut: true,
    unacknowledged: [event.eventId],
  });
  await hub.close();
  printed.open();
  await clock.advance('10s');
  expect(errors).toEqual([]);
});
