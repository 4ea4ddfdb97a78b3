import fc from 'fast-check';
import { ENDPOINTS, type HostProfile } from 'opendelivery-client';
import { createMockHub, type Json, type Recording } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { isHarmless } from '../../../src/cli/record/harmless.js';
import { merchantSchema } from '../../../src/schemas/merchant.js';
import { orderSchema } from '../../../src/schemas/order.js';
import { hintsOf } from '../../../src/schemas/wire.js';
import { runs } from '../../runs.js';
import { recorderOf } from './support.js';

const SECRETS = {
  token: 'tok_9f8e7d6c5b4a39281706',
  apiKey: 'key-5d41402abc4b2a76b971',
  clientSecret: 's3cr3t-7b52009b64fd0a2a',
};

const digits = (length: number) => fc.stringMatching(new RegExp(`^[1-9]\\d{${length - 1}}$`));
const word = fc.stringMatching(/^[A-Z][a-z]{6,9}$/);

/** Personal data, each with what must not be found in the recording: spellings of the same are one. */
const personal: fc.Arbitrary<string | number> = fc.oneof(
  fc.tuple(word, word).map((names) => names.join(' ')),
  fc.tuple(word, word).map(([first, last]) => `${first.toUpperCase()}_${last.toUpperCase()}`),
  word.map((name) => `João ${name}, ap. 12`),
  fc.tuple(word, word).map(([name, host]) => `${name}.${host}@mail.example`),
  digits(11),
  digits(14).map((cnpj) => cnpj.replace(/^(..)(...)(...)(....)(..)$/, '$1.$2.$3/$4-$5')),
  digits(11).map((phone) => phone.replace(/^(..)(.{5})(....)$/, '+55 ($1) $2-$3')),
  digits(11).map(Number),
  digits(8).map((cep) => cep.replace(/(...)$/, '-$1')),
  fc.uuid(),
  fc.integer({ min: -33_000_000, max: -5_000_000 }).map((micro) => (micro * 10 + 1) / 1e7),
  word.map((name) => `https://maps.example/${name}?q=${name}`),
  fc.constantFrom(...Object.values(SECRETS)),
);

/** The standard's own fields, also those that are kept if their values are harmless. */
const FIELDS =
  'id name type status lastEvent createdAt orderTiming quantity value price currency unit method brand customer phone ' +
  'number documentNumber email specialInstructions observation extraInfo street complement reference formattedAddress ' +
  'postalCode coordinates latitude longitude displayId externalCode ean pickupCode place reason code metadata index ' +
  'startTime dayOfWeek date receivedBy discountCode taxInvoiceURL logoImage URL contactEmails merchant';
const field = fc.oneof(
  fc.constantFrom(...FIELDS.split(' ')),
  fc.constantFrom('nome_cliente', 'CPF', 'Observação', 'x-note', '__proto__', 'lat', 'constructor'),
  // A hub may use data as names of fields.
  fc.oneof(
    digits(11),
    fc.uuid(),
    word.map((name) => `${name} ${name}`),
    fc.constantFrom(SECRETS.token),
  ),
);

const value = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    personal,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(field, tie('value'), { maxKeys: 5 }),
  ),
})).value;
const document = fc.dictionary(field, value, { minKeys: 3, maxKeys: 8 });

/** Everything in a document that the recording must not have: strings, long numbers, and data used as names of fields. */
function dataOf(given: unknown, isName = false): string[] {
  if (typeof given === 'string') return isName && /^[A-Za-z_çã-]+$/.test(given) ? [] : [given];
  if (typeof given === 'number') return [String(given)];
  if (Array.isArray(given)) return given.flatMap((each) => dataOf(each));
  return Object.entries(given as Json).flatMap(([name, each]) => [...dataOf(name, true), ...dataOf(each)]);
}

/** The parts that show the same in another spelling: the words of a name, and all digits of a number. */
function partsOf(datum: string): string[] {
  const number = datum.replace(/\D/g, '');
  const words = datum.split(/[^\p{L}]+/u).filter((each) => each.length >= 7);
  const isUrl = datum.includes('://');
  return [datum, ...(isUrl ? [] : words), ...(number.length >= 8 ? [number] : [])].filter(
    (each) => each.length > 3 && !/^(?:example|https)$/.test(each),
  );
}

function leaksIn(recording: Recording, given: readonly unknown[]): string[] {
  const text = JSON.stringify(recording);
  const lower = text.toLowerCase();
  const joined = text.replace(/[^\d"]/g, '');
  return given
    .flatMap((each) => dataOf(each))
    .flatMap(partsOf)
    .filter((part) =>
      /^\d+$/.test(part)
        ? joined.includes(`"${part}"`) || text.includes(part)
        : lower.includes(part.toLowerCase()),
    );
}

const { polling, order, merchant, token, orderStatus } = ENDPOINTS;
const ORDER_ID = '4f6c2a10-51d3-4b0e-9c47-0123456789ab';

/** A recorder that has seen these documents as the hub's, and an error body with all of them. */
function recording(event: Json, documents: readonly Json[]) {
  const recorder = recorderOf(Date.parse('2026-01-05T18:00:00Z'));
  let atMs = 0;
  const exchange = (method: string, path: string, status: number, body: unknown, sent = '') => {
    atMs += 1000;
    recorder.add({
      method,
      path: `/opendelivery${path}`,
      headers: new Headers({ authorization: `Bearer ${SECRETS.token}`, 'x-api-key': SECRETS.apiKey }),
      body: sent,
      status,
      responseBody: JSON.stringify(body),
      sentAtMs: atMs,
      respondedAtMs: atMs,
    });
  };
  const path = order.path.replace('{orderId}', ORDER_ID);
  const form = `client_id=1001&client_secret=${SECRETS.clientSecret}&grant_type=client_credentials`;
  exchange(token.method, token.path, 200, { access_token: SECRETS.token }, form);
  const ids = { eventId: 'e5d6a7b8-0000-4000-8000-00000000abcd', orderId: ORDER_ID, eventType: 'CREATED' };
  exchange(polling.method, polling.path, 200, [{ ...event, ...ids }]);
  for (const each of documents) exchange(order.method, path, 200, each);
  exchange(merchant.method, merchant.path, 200, documents[0]);
  const command = orderStatus.path.replace('{orderId}', ORDER_ID).replace('{status}', 'confirm');
  exchange(
    orderStatus.method,
    command,
    422,
    { title: documents, token: SECRETS.token },
    JSON.stringify(event),
  );
  exchange(polling.method, `${polling.path}/${SECRETS.token}`, 404, documents);
  return recorder.finish(atMs);
}

/** A recording of one poll. */
function polled(body: unknown, profile: HostProfile = {}) {
  const recorder = recorderOf(0, profile);
  recorder.add({
    method: polling.method,
    path: `/opendelivery${polling.path}`,
    headers: new Headers(),
    body: '',
    status: 200,
    responseBody: JSON.stringify(body),
    sentAtMs: 1,
    respondedAtMs: 1,
  });
  return recorder.finish(1);
}

/** Each field whose values are enumerated, with each of them. */
function enumeratedIn(schema: z.ZodType, field = ''): [field: string, value: string][] {
  const { values } = hintsOf(schema);
  if (values) return [...values].map((value) => [field, value]);
  if (schema instanceof z.ZodObject)
    return Object.entries(schema.shape).flatMap(([name, inner]) => enumeratedIn(inner as z.ZodType, name));
  if (schema instanceof z.ZodArray) return enumeratedIn(schema.element as z.ZodType, field);
  const isWrapped = schema instanceof z.ZodOptional || schema instanceof z.ZodDefault;
  return isWrapped ? enumeratedIn(schema.unwrap() as z.ZodType, field) : [];
}

describe('a recording', () => {
  it('has no value of a list of names and values that only this hub has', () => {
    const fields = [
      { key: 'senha', value: '482913' },
      { key: 'ramal', value: 991_234 },
    ];
    const total = { value: 54.9, currency: 'BRL' };
    const made = recording({}, [{ customFields: fields, total }]);
    const text = JSON.stringify(made);
    expect(text).not.toMatch(/482913|991234/);
    expect(text).toContain('54.9');
  });

  it('has no personal data and no secret of 1,000 random documents', { tags: 'slow' }, () => {
    fc.assert(
      fc.property(document, document, (first, second) => {
        const given = [first, second] as Json[];
        const made = recording(given[0] as Json, given);
        expect(made.orders[0]?.documents.length).toBeGreaterThan(0);
        expect(made.commands).toHaveLength(1);
        expect(leaksIn(made, [...given, ORDER_ID, ...Object.values(SECRETS)])).toEqual([]);
      }),
      { seed: 29, numRuns: runs(500) },
    );
  });

  it('keeps what says nothing about a person, and the shape of ids', () => {
    const mock = createMockHub();
    const { order: document, orderId } = mock.createOrder({ include: ['options', 'change', 'fees'] });
    const made = recording({ merchantId: String((document.merchant as Json).id) }, [document]);
    const kept = made.orders[0]?.documents[0]?.document as typeof document;
    for (const name of [
      'type',
      'createdAt',
      'orderTiming',
      'total',
      'lastEvent',
      'preparationStartDateTime',
    ]) {
      expect(kept[name], name).toEqual(document[name]);
    }
    expect(Object.keys(kept)).toEqual(Object.keys(document));
    expect(kept.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(kept.id).not.toBe(orderId);
    expect(kept.displayId).toMatch(/^\d{4}$/);
    expect((kept.merchant as Json).id).toMatch(/^\d{14}-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(made.events[0]?.event.merchantId).toBe((kept.merchant as Json).id);
    const { latitude, longitude } = (kept.delivery as Json & { deliveryAddress: { coordinates: Json } })
      .deliveryAddress.coordinates;
    expect(Math.abs(latitude as number)).toBeLessThan(90);
    expect(longitude).not.toBe(-46.6822);
  });

  it('replaces the name of a person that is a word of the standard', () => {
    const made = recording({ merchantId: 'm-1' }, [{ customer: { name: 'AURA' } }]);
    expect(JSON.stringify(made)).not.toContain('AURA');
  });

  it('keeps the values that the standard enumerates', () => {
    const found = [orderSchema, merchantSchema].flatMap((schema) => enumeratedIn(schema));
    expect(found.length).toBeGreaterThan(100);
    expect(found.filter(([field, value]) => !isHarmless(field, value))).toEqual([]);
  });

  it('has the events that the client reads, with the names of the spec and the types as they were sent', () => {
    const spelled = { id: 1, status: 'created', orderId: 2, orderUrl: 'https://hub.example/2', metadata: 5 };
    const odd = { eventId: 'e-1', eventType: 'CREATED', receivedEventType: { name: 'Ana' }, orderId: 'o-1' };
    const made = polled({ events: [spelled, odd, { eventType: 'CREATED', orderId: 'o-2' }] });
    expect(made.events.map(({ event }) => event.eventType)).toEqual(['created', 'CREATED']);
    for (const { event } of made.events) {
      expect(Object.keys(event)).toEqual(['createdAt', 'eventId', 'eventType', 'orderId']);
    }
  });

  it('has no event of a poll that cannot be read, and ends as others do', () => {
    for (const body of [{}, { message: 'no events' }, 'none', { events: 'none' }]) {
      expect(polled(body).events).toEqual([]);
    }
  });

  it('keeps a position a position, also as text', () => {
    const document = { id: 'o-1', coordinates: { latitude: '-23.5505', longitude: '-46.6333' } };
    const made = recording({ merchantId: 'm-1' }, [document]);
    const kept = made.orders[0]?.documents[0]?.document as typeof document;
    const { latitude, longitude } = kept.coordinates;
    expect(latitude).not.toBe('-23.5505');
    expect(Math.abs(Number(latitude) + 17.5)).toBeLessThanOrEqual(12.5);
    expect(Math.abs(Number(longitude) + 50)).toBeLessThanOrEqual(10);
  });

  it('gives a person one pseudonym, in any spelling, and another one in the next recording', () => {
    const people = { a: 'Ana  Souza', b: ['ANA SOUZA'], c: '123.456.789-09', d: 12345678909, e: 'Bia Souza' };
    const [one, other] = [recording(people, [people]), recording(people, [people])].map(
      (made) => made.orders[0]?.documents[0]?.document as { [name: string]: string },
    );
    expect(one?.b).toEqual([one?.a]);
    expect(one?.c?.replace(/\D/g, '')).toBe(String(one?.d));
    expect(one?.e).not.toBe(one?.a);
    expect(other?.a).not.toBe(one?.a);
    expect(recording(people, [people]).events[0]?.event.a).not.toBe(one?.a);
  });

  it('keeps the event types of the profile, in any case', () => {
    const types = ['Rated', 'refunded', 'created', 'Ana'];
    const events = types.map((eventType, at) => ({ eventId: `e-${at}`, eventType, orderId: 'o-1' }));
    const made = polled(events, { eventTypes: ['Rated', 'REFUNDED'] });
    const kept = made.events.map(({ event }) => event.eventType);
    expect(kept).toEqual(['Rated', 'refunded', 'created', expect.not.stringMatching('Ana')]);
  });

  it('gives 5,000 ids of four digits 5,000 pseudonyms', () => {
    const ids = Array.from({ length: 5000 }, (_, at) => String(at + 1000));
    const made = recording({ ids }, [{ ids }]);
    const pseudonyms = made.orders[0]?.documents[0]?.document.ids as string[];
    expect(new Set(pseudonyms).size).toBe(5000);
  });
});
