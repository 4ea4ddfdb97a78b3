import { InvalidResponseError } from 'opendelivery-client';
import { describe, expect, it } from 'vitest';
import { answered, polled } from '../answered.js';

const EVENT = {
  eventId: 'e',
  eventType: 'CREATED',
  orderId: 'o',
  createdAt: '2026-05-04T03:02:01Z',
  orderURL: 'https://hub.example/o',
};

describe('the response of a poll', () => {
  it.each([
    ['an array', [EVENT], ''],
    ['an array in events', { events: [EVENT], total: 1 }, 'events.'],
    ['an array in data', { data: [EVENT] }, 'data.'],
    ['a single event', EVENT, ''],
  ])('%s contains its event, and issues have the path to it', async (_what, body, prefix) => {
    expect(await polled(JSON.stringify(body))).toEqual({ events: [EVENT], issues: [] });
    const worse = JSON.parse(JSON.stringify(body).replace('2026', 'year '));
    const { events, issues } = await polled(JSON.stringify(worse));
    expect(events).toHaveLength(1);
    expect(issues.map(({ path, code }) => `${path.join('.')} ${code}`)).toEqual([
      `${prefix}0.createdAt format`,
    ]);
  });

  it.each([
    '',
    ' ',
    'null',
    '[]',
    '{"events": []}',
    '{"data": []}',
    '{"events": null}',
    '{"data": null}',
    '{"events": null, "data": null}',
    '{"events": null, "total": 0, "error": null}',
  ])('%j contains no event', async (body) => {
    expect(await polled(body)).toEqual({ events: [], issues: [] });
  });

  it('counts null in one of the two places as absent, and reads the array in the other', async () => {
    const [one, other] = [
      { events: null, data: [EVENT] },
      { data: null, events: [EVENT] },
    ];
    for (const body of [one, other]) {
      expect(await polled(JSON.stringify(body))).toEqual({ events: [EVENT], issues: [] });
    }
    const single = { ...EVENT, data: null };
    expect((await polled(JSON.stringify(single))).events).toEqual([single]);
  });

  it.each(['{"data": null, "errors": [{"message": "down"}]}', '{"events": null, "error": "token expired"}'])(
    'with null and an error is an error, not an empty array: %s',
    async (body) => {
      await expect(polled(body)).rejects.toThrow(
        /polling: the hub sent status 200 with an error and without events/,
      );
    },
  );

  it('contains no event with status 204', async () => {
    const empty = answered(
      (hub) => hub.events.poll(),
      () => new Response(null, { status: 204 }),
    );
    expect(await empty).toEqual({ events: [], issues: [] });
  });

  it.each(['5', '"x"', 'true', '{}', '{"error": "x"}', '{"__proto__": {"events": []}}', '{', '<html>'])(
    '%s is not a list of events',
    async (body) => {
      await expect(polled(body)).rejects.toBeInstanceOf(InvalidResponseError);
    },
  );

  it.each([
    ['[{"eventId": "e"', true],
    ['  <html>', false],
    ['<!doctype html>', false],
  ])('%j is retryable: %j', async (body, retryable) => {
    // A truncated body is an accident. A page of HTML comes from a wrong baseUrl, every time.
    await expect(polled(body)).rejects.toMatchObject({ retryable });
  });

  it.each([
    ['id', 'eventId'],
    ['status', 'eventType'],
    ['code', 'eventType'],
    ['orderUrl', 'orderURL'],
  ] as const)('may have the name %s for %s', async (alias, key) => {
    const { [key]: value, ...others } = EVENT;
    const { events, issues } = await polled(JSON.stringify([{ ...others, [alias]: value }]));
    expect(events).toMatchObject([EVENT]);
    expect(issues).toMatchObject([{ path: [0, alias], code: 'alias' }]);
  });

  it.each<[change: object, issues: string[], read?: object]>([
    [{ eventType: 'RIDER_NEAR' }, ['eventType unknown_value']],
    [{ createdAt: '2022-08-08T13:38:01.2791544Z' }, []],
    [{ createdAt: '0001-01-01T00:00:00' }, ['createdAt format']],
    [{ eventId: 'not a uuid', orderId: '17' }, []],
    [{ sourceAppId: 'app', virtualBrand: 'brand', metadata: { any: [{ depth: null }] }, more: 1 }, []],
    [{ createdAt: null }, ['createdAt null'], { createdAt: undefined }],
    [{ metadata: null, sourceAppId: null }, ['sourceAppId null', 'metadata null'], {}],
    [{ metadata: 'none' }, ['metadata invalid'], {}],
    [{ metadata: [{ reason: 'r' }] }, ['metadata coerced'], { metadata: { reason: 'r' } }],
    [{ orderId: 17 }, ['orderId coerced'], { orderId: '17' }],
  ])('has an event with %j, and the issues %j', async (change, expected, read = change) => {
    const { events, issues } = await polled(JSON.stringify([{ ...EVENT, ...change }]));
    expect(events).toEqual([{ ...EVENT, ...read }]);
    expect(issues.map(({ path, code }) => `${path.slice(1).join('.')} ${code}`)).toEqual(expected);
  });

  it('leaves a bad event out and keeps the others', async () => {
    const bad = [
      ...[null, 5, 'x', [], {}, { ...EVENT, eventId: '' }],
      ...(['eventId', 'eventType', 'orderId'] as const).flatMap((key) => [
        { ...EVENT, [key]: null },
        { ...EVENT, [key]: {} },
      ]),
    ];
    const { events, issues } = await polled(JSON.stringify([...bad, EVENT, ...bad]));
    expect(events).toEqual([EVENT]);
    expect(issues.filter(({ code }) => code === 'left_out')).toHaveLength(2 * bad.length);
  });

  it('is read in less than a second if it has 20,000 events that all deviate', async () => {
    const body = JSON.stringify(
      Array.from({ length: 20_000 }, () => ({ ...EVENT, createdAt: null, orderURL: 7 })),
    );
    const before = process.cpuUsage();
    const { events, issues } = await polled(body);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(1000);
    expect([events.length, issues.length]).toEqual([20_000, 40_000]);
  });
});
