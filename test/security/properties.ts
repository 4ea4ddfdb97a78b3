import fc from 'fast-check';
import {
  HubError,
  InvalidResponseError,
  memoryState,
  type OrderEvent,
  type Token,
} from 'opendelivery-client';
import { ManualClock } from 'opendelivery-client/testing';
import { expect } from 'vitest';
import { diffMerchants, isUnchanged } from '../../src/merchant/diff.js';
import { readMerchant, ttlMsOf } from '../../src/merchant/read.js';
import { instantOf } from '../../src/schemas/date-time.js';
import { eventSchema } from '../../src/schemas/event.js';
import { merchantSchema } from '../../src/schemas/merchant.js';
import { orderSchema } from '../../src/schemas/order.js';
import { answered, polled } from '../answered.js';
import { methodsOf } from '../state/methods.js';
import { anyCharacter } from '../strings.js';

const DAY_MS = 86_400_000;
const YEAR_MS = 52 * 7 * DAY_MS;
const STARTED_AT = Date.parse('2026-01-05T12:00:00Z');

/** The response with this body, and perhaps this content type. */
const responseOf = (body: string, charset?: string, status = 200) => {
  const headers = charset === undefined ? {} : { 'content-type': charset };
  return () => new Response(body, { status, headers });
};

/** The result of a call; undefined if it rejects with an InvalidResponseError, the only error that it may have. */
async function resultOf<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidResponseError);
    return undefined;
  }
}

const keysOf = (schema: { shape: object }) => Object.keys(schema.shape);
const KEYS = [
  ...new Set([...keysOf(eventSchema), ...keysOf(merchantSchema), ...keysOf(orderSchema)]),
  ...[
    'access_token',
    'expires_in',
    'events',
    'data',
    'value',
    'currency',
    'price',
    'dayOfWeek',
    'timePeriods',
    'startTime',
  ],
  ...['__proto__', 'constructor', 'toString', '', '0', 'length'],
];

const instants = fc
  .date({ min: new Date('1970-01-02'), max: new Date('2100-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString());
const dateTexts = fc.oneof(
  instants,
  instants.map((text) => text.slice(0, 19)),
  instants.map((text) => text.replace('T', ' ').replace('Z', '-03:00')),
  instants.map((text) => new Date(text).toUTCString()),
  fc.stringMatching(
    /^[+-]?\d{1,6}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?$/,
  ),
  fc.string({ unit: anyCharacter, maxLength: 40 }),
);
const headerTexts = fc.oneof(
  dateTexts,
  fc.stringMatching(/^[-+ ]?\d{1,400}(?:[.eE]\d+)?$/),
  fc.constantFrom('Infinity', 'NaN', '-0', '0x10', '1e9', '', 'soon'),
);
const scalars = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 20 }),
  fc.double(),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  dateTexts,
  fc.constantFrom('AVAILABLE', 'CREATED', 'BRL', '15.90', 'true', '__proto__'),
);
/** Any JSON with keys of the schemas, so that it passes the first checks. */
const anything = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 3, depthSize: 'small' }, scalars, tie('list'), tie('object')),
  list: fc.array(tie('value'), { maxLength: 4 }),
  object: fc
    .array(fc.tuple(fc.constantFrom(...KEYS), tie('value')), { maxLength: 8 })
    .map((entries) => Object.fromEntries(entries)),
})).value;

const ids = fc.string({ minLength: 1, maxLength: 12, unit: anyCharacter });
const goodEvents = fc.record({
  eventId: ids,
  orderId: ids,
  eventType: fc.constantFrom('CREATED', 'CONFIRMED', 'CANCELLED', 'NEW_TYPE'),
  createdAt: dateTexts,
});
const bodies = fc.oneof(
  anything.map((value) => JSON.stringify(value) ?? ''),
  fc.string({ unit: anyCharacter }),
  fc.json(),
  anything.map((value) => (JSON.stringify(value) ?? '').slice(0, -1)),
);
const charsets = fc.constantFrom(
  undefined,
  'application/json',
  'application/json; charset=utf-16',
  'text/html; charset="latin1"',
  'x; charset=nobody-knows',
);

const goodItems = fc.array(fc.record({ id: fc.uuid(), name: ids, unit: fc.constant('UN') }), {
  maxLength: 4,
});

interface Property {
  readonly name: string;
  /** How many times slower than the cheapest it is. */
  readonly cost: number;
  readonly property: fc.IRawProperty<unknown>;
}

/** What the readers of the hub's responses guarantee for any input. */
export const PROPERTIES: readonly Property[] = [
  {
    name: 'a date-time is an instant or undefined, and the same instant in every format',
    cost: 1,
    property: fc.property(dateTexts, instants, (text, iso) => {
      const at = instantOf(text);
      expect(at === undefined || Number.isFinite(at)).toBe(true);
      const spellings = [
        iso,
        iso.slice(0, -1),
        iso.replace('T', ' '),
        iso.replace('Z', '+00:00'),
        iso.replace('Z', '+0000'),
      ];
      for (const each of spellings) expect(instantOf(each)).toBe(Date.parse(iso));
    }),
  },
  {
    name: 'the body of a poll is an array of usable events, or an InvalidResponseError',
    cost: 4,
    property: fc.asyncProperty(bodies, charsets, async (body, charset) => {
      const result = await resultOf(answered((hub) => hub.events.poll(), responseOf(body, charset)));
      for (const { eventId, orderId, eventType } of result?.events ?? []) {
        for (const text of [eventId, orderId, eventType]) {
          expect(typeof text).toBe('string');
          expect(text).not.toBe('');
        }
      }
    }),
  },
  {
    name: 'every valid event of a poll is read, whatever the elements beside it are',
    cost: 4,
    property: fc.asyncProperty(
      fc.array(
        fc.oneof(
          goodEvents.map((event) => ({ event })),
          anything.map((junk) => ({ junk })),
        ),
        { maxLength: 10 },
      ),
      fc.constantFrom('list', 'events', 'data'),
      async (elements, shape) => {
        const list = elements.map((each) => ('event' in each ? each.event : (each.junk ?? null)));
        const body = JSON.stringify(shape === 'list' ? list : { [shape]: list });
        const good = elements.flatMap((each) => ('event' in each ? [each.event] : []));
        const { events: read } = await polled(body);
        const found = good.filter((event) => read.some((each) => same(each, event)));
        expect(found).toEqual(good);
        // They are in the order of their arrival.
        const positions = good.map((event) => read.findIndex((each) => same(each, event)));
        expect(positions).toEqual([...positions].sort((a, b) => a - b));
      },
    ),
  },
  {
    name: 'a merchant document is read and can be compared, or is an InvalidResponseError',
    cost: 4,
    property: fc.asyncProperty(bodies, anything, charsets, async (body, other, charset) => {
      const read = (text: string, validation: 'lenient' | 'strict' = 'lenient') =>
        resultOf(
          answered((hub) => hub.merchant.get(), responseOf(text, charset), { merchant: { validation } }),
        );
      const texts = [body, body, JSON.stringify({ id: '1', ...Object(other) })];
      const merchants = (await Promise.all(texts.map((text) => read(text)))).map((each) => each?.merchant);
      await read(body, 'strict');
      for (const merchant of merchants) {
        if (!merchant) continue;
        const ttlMs = ttlMsOf(merchant);
        expect(ttlMs).toBeGreaterThanOrEqual(500_000);
        expect(ttlMs).toBeLessThanOrEqual(DAY_MS);
        const at = instantOf(merchant.lastUpdate);
        expect(at === undefined || Number.isFinite(at)).toBe(true);
        for (const each of merchants) if (each) diffMerchants(merchant, each);
      }
      const [one, again] = merchants;
      if (one && again) expect(isUnchanged(diffMerchants(one, again))).toBe(true);
    }),
  },
  {
    name: 'every valid item of a document is read, whatever the elements beside it are',
    cost: 3,
    property: fc.property(goodItems, fc.array(anything, { maxLength: 5 }), anything, (good, junk, rest) => {
      const items = [...junk, ...good, ...junk].map((each) => each ?? null);
      const { merchant } = readMerchant(JSON.parse(JSON.stringify({ ...Object(rest), items })));
      for (const { id, name } of good)
        expect(merchant.items.some((item) => item.id === id && item.name === name)).toBe(true);
    }),
  },
  {
    name: 'a token can be sent and lives for 0 to 52 weeks, or is an InvalidResponseError',
    cost: 4,
    property: fc.asyncProperty(
      fc.oneof(
        bodies,
        fc
          .tuple(
            fc.oneof(fc.stringMatching(/^[\x21-\x7e]{1,40}$/), fc.string({ unit: anyCharacter })),
            fc.oneof(scalars, headerTexts),
          )
          .map(([token, lifetime]) => JSON.stringify({ access_token: token, expires_in: lifetime })),
      ),
      async (body) => {
        const clock = new ManualClock(STARTED_AT);
        const fetch = async () => new Response(body);
        const token = await resultOf(
          answered((hub) => hub.auth.getToken(), responseOf(body), { clock, fetch }),
        );
        if (token) expectUsable(token);
      },
    ),
  },
  {
    name: 'a stored token can be sent, or counts as missing',
    cost: 4,
    property: fc.asyncProperty(
      fc.oneof(
        bodies,
        fc
          .record({ value: scalars, obtainedAt: scalars, lifetimeMs: scalars })
          .map((each) => JSON.stringify(each)),
      ),
      async (record) => {
        const clock = new ManualClock(STARTED_AT);
        const state = { ...methodsOf(memoryState()), get: () => record };
        const call = answered((hub) => hub.auth.getToken(), responseOf(''), { clock, state });
        expectUsable(await call);
      },
    ),
  },
  {
    name: 'an order is read, or is an InvalidResponseError',
    cost: 4,
    property: fc.asyncProperty(bodies, async (body) => {
      const read = await resultOf(answered((hub) => hub.orders.get('1'), responseOf(body)));
      if (!read) return;
      expect(typeof read.order).toBe('object');
      expect(Array.isArray(read.order.items)).toBe(true);
      expect(Array.isArray(read.issues)).toBe(true);
    }),
  },
  {
    name: 'every status with any body is a HubError with a short message',
    cost: 4,
    property: fc.asyncProperty(fc.integer({ min: 300, max: 599 }), bodies, async (status, body) => {
      fc.pre(status !== 304);
      const call = answered((hub) => hub.orders.get('1'), responseOf(body, undefined, status));
      const error = await call.catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(HubError);
      expect((error as HubError).message.length).toBeLessThan(400);
    }),
  },
  {
    name: 'the events of an order are dispatched in one sequence, whatever the order of their arrival and their dates',
    cost: 40,
    property: fc.asyncProperty(
      fc.uniqueArray(goodEvents, { minLength: 1, maxLength: 6, selector: ({ eventId }) => eventId }),
      fc.infiniteStream(fc.nat()),
      async (events, random) => {
        const one = events.map((event) => ({ ...event, orderId: 'o' }));
        const other = one
          .map((event) => ({ event, at: random.next().value as number }))
          .sort((a, b) => a.at - b.at);
        const first = await dispatched(one);
        const second = await dispatched(other.map(({ event }) => event));
        expect([...first].map(({ eventId }) => eventId).sort()).toEqual(
          one.map(({ eventId }) => eventId).sort(),
        );
        // Only events of the same date and rank keep the order of their arrival.
        expect(second.map(keyOf)).toEqual(first.map(keyOf));
      },
    ),
  },
];

const same = (
  read: OrderEvent,
  sent: { eventId: string; orderId: string; eventType: string; createdAt: string },
) =>
  read.eventId === sent.eventId &&
  read.orderId === sent.orderId &&
  read.eventType === sent.eventType &&
  read.createdAt === sent.createdAt;

const RANKS = ['CREATED', 'CONFIRMED'];

function keyOf({ createdAt, eventType }: OrderEvent): string {
  return `${instantOf(createdAt) ?? 0} ${RANKS.includes(eventType) ? eventType : 'later'}`;
}

function expectUsable({ value, expiresAt }: Token): void {
  expect(value).toMatch(/^[\x21-\x7e]+$/);
  expect(expiresAt).toBeGreaterThanOrEqual(STARTED_AT);
  expect(expiresAt).toBeLessThanOrEqual(STARTED_AT + YEAR_MS);
}

/** The events of one poll in the order in which a poller's listener receives them. */
async function dispatched(events: readonly object[]): Promise<OrderEvent[]> {
  const seen: OrderEvent[] = [];
  await answered(
    (hub) =>
      hub
        .poller()
        .on('event', (event) => void seen.push(event))
        .runOnce(),
    () => Response.json(events),
  );
  return seen;
}
