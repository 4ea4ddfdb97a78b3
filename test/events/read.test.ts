import { InvalidResponseError } from 'opendelivery-client';
import { describe, expect, it } from 'vitest';
import { readPoll } from '../../src/events/read.js';

const EVENT = {
  eventId: 'e',
  eventType: 'CREATED',
  orderId: 'o',
  createdAt: '2026-05-04T03:02:01Z',
  orderURL: 'https://hub.example/o',
};

const answer = (body: string, status = 200) => ({
  status,
  header: () => undefined,
  body: Buffer.from(body),
  cut: false,
  startedAt: 0,
  startedMonotonic: 0,
  scrub: (text: string) => text,
});

describe('the answer of a poll', () => {
  it.each([
    ['a list', [EVENT], ''],
    ['a list in events', { events: [EVENT], total: 1 }, 'events.'],
    ['a list in data', { data: [EVENT] }, 'data.'],
    ['a single event', EVENT, ''],
  ])('%s holds its event, and its issues point into it', (_what, body, prefix) => {
    expect(readPoll(answer(JSON.stringify(body)))).toEqual({ events: [EVENT], issues: [] });
    const worse = JSON.parse(JSON.stringify(body).replace('2026', 'year '));
    const { events, issues } = readPoll(answer(JSON.stringify(worse)));
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
  ])('%j holds none', (body) => {
    expect(readPoll(answer(body))).toEqual({ events: [], issues: [] });
  });

  it('null in one of its two places counts as absent: the list in the other is read', () => {
    const [one, other] = [
      { events: null, data: [EVENT] },
      { data: null, events: [EVENT] },
    ];
    for (const body of [one, other]) {
      expect(readPoll(answer(JSON.stringify(body)))).toEqual({ events: [EVENT], issues: [] });
    }
    const single = { ...EVENT, data: null };
    expect(readPoll(answer(JSON.stringify(single))).events).toEqual([single]);
  });

  it.each(['{"data": null, "errors": [{"message": "down"}]}', '{"events": null, "error": "token expired"}'])(
    'a null list beside an error is the error, not an empty list: %s',
    (body) => {
      expect(() => readPoll(answer(body))).toThrow(
        /polling: the hub sent status 200 with an error and without events/,
      );
    },
  );

  it('204 holds none, whatever its body', () => {
    expect(readPoll(answer('<html>', 204))).toEqual({ events: [], issues: [] });
  });

  it.each(['5', '"x"', 'true', '{}', '{"error": "x"}', '{"__proto__": {"events": []}}', '{', '<html>'])(
    '%s is none',
    (body) => {
      expect(() => readPoll(answer(body))).toThrow(InvalidResponseError);
    },
  );

  it.each([
    ['[{"eventId": "e"', true],
    ['  <html>', false],
    ['<!doctype html>', false],
  ])('%j says whether the same request may succeed later', (body, retryable) => {
    // A body cut short is an accident; a page of HTML comes from a wrong baseUrl, again and again.
    expect(() => readPoll(answer(body))).toThrow(expect.objectContaining({ retryable }));
  });

  it('one bad event costs no other', () => {
    const bad = [null, 5, 'x', [], {}, { ...EVENT, eventId: '' }, { ...EVENT, orderId: {} }];
    const { events, issues } = readPoll(answer(JSON.stringify([...bad, EVENT, ...bad])));
    expect(events).toEqual([EVENT]);
    expect(issues.filter(({ code }) => code === 'left_out')).toHaveLength(2 * bad.length);
  });

  it('20,000 events that all deviate take less than a second', () => {
    const body = JSON.stringify(
      Array.from({ length: 20_000 }, () => ({ ...EVENT, createdAt: null, orderURL: 7 })),
    );
    const before = process.cpuUsage();
    const { events, issues } = readPoll(answer(body));
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(1000);
    expect([events.length, issues.length]).toEqual([20_000, 40_000]);
  });
});
