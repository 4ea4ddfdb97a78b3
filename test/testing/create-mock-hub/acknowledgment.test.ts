import type { HubEvent } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { itemOf, problemOf } from '../../fixtures/plain.js';
import { made } from './support.js';

describe('POST /v1/events/acknowledgment', () => {
  it('responds with an empty 202, also when repeated, and stops listing the event', async () => {
    const { mock, api } = made();
    const token = await api.token();
    const items = [mock.emit('CREATED'), mock.emit('CREATED')].map(itemOf);
    for (let time = 0; time < 2; time += 1) {
      const response = await api.acknowledge(token, items.slice(0, 1));
      expect([response.status, await response.text()]).toEqual([202, '']);
      expect(mock.pending().map(itemOf)).toEqual(items.slice(1));
    }
  });

  it('accepts 100 items; 101 items get 400 and are a violation, and no event is acknowledged', async () => {
    const { mock, api, rules } = made();
    const token = await api.token();
    const items = Array.from({ length: 101 }, () => itemOf(mock.emit('CREATED')));
    expect((await api.acknowledge(token, items)).status).toBe(400);
    expect([rules(), mock.acknowledged()]).toEqual([['acknowledgment-size'], []]);
    expect((await api.acknowledge(token, items.slice(0, 100))).status).toBe(202);
    expect([mock.pending().length, mock.acknowledged().length]).toEqual([1, 100]);
  });

  it.each([400, 404] as const)(
    'refuses the whole request with %d if it does not know one id',
    async (unknownEventStatus) => {
      const { mock, api } = made({ unknownEventStatus });
      const known = itemOf(mock.emit('CREATED'));
      const unknown = { ...known, id: 'unknown-id' };
      for (const items of [
        [known, unknown],
        [unknown, known],
      ]) {
        const response = await api.acknowledge(await api.token(), items);
        expect(response.status).toBe(unknownEventStatus);
        expect((await problemOf(response)).title).toContain('unknown-id');
      }
      expect([mock.pending().length, mock.acknowledged()]).toEqual([1, []]);
    },
  );

  it.each([
    ['another orderId', { orderId: 'another' }],
    ['another eventType', { eventType: 'CONFIRMED' }],
    ['no orderId', { orderId: undefined }],
    ['no eventType', { eventType: undefined }],
    ['an eventId instead of an id', { id: undefined, eventId: 'x' }],
    ['a number as id', { id: 5 }],
  ])('refuses %s, and reports it as a violation', async (_what, change) => {
    const { mock, api, rules } = made();
    const item = { ...itemOf(mock.emit('CREATED')), ...change };
    expect((await api.acknowledge(await api.token(), [item])).status).toBe(400);
    expect([rules(), mock.acknowledged()]).toEqual([['acknowledgment-body'], []]);
  });

  it('knows two events with one id apart, and forgets the one that is meant', async () => {
    const { mock, api } = made();
    const token = await api.token();
    const [one, two] = ['CONFIRMED', 'CANCELLED'].map((type) => mock.emit(type, { eventId: 'one-id' }));
    expect(await (await api.poll(token)).json()).toEqual([one, two]);
    expect(mock.pending()).toEqual([one, two]);
    await api.acknowledge(token, [itemOf(two as HubEvent)]);
    expect(mock.pending()).toEqual([one]);
    await api.acknowledge(token, [itemOf(one as HubEvent)]);
    expect(mock.pending()).toEqual([]);
    mock.redeliver('one-id');
    expect(mock.pending()).toEqual([one, two]);
  });

  it.each(['', 'no JSON', '{}', '[1]', '[[]]', 'null'])(
    'reports a body that is not an array of items as a violation: %j',
    async (body) => {
      const { api, rules } = made();
      expect((await api.acknowledge(await api.token(), body)).status).toBe(400);
      expect(rules()).toEqual(['acknowledgment-body']);
    },
  );
});

describe('refuseAcknowledgment and redeliver', () => {
  it('refuse every acknowledgment that contains the id, and no other', async () => {
    const { mock, api } = made();
    const token = await api.token();
    const events = [mock.emit('CREATED'), mock.emit('CREATED')] as const;
    mock.refuseAcknowledgment(events[0].eventId);
    for (let time = 0; time < 2; time += 1) {
      const response = await api.acknowledge(token, events.map(itemOf));
      expect((await problemOf(response)).title).toContain(events[0].eventId);
    }
    expect((await api.acknowledge(token, [itemOf(events[1])])).status).toBe(202);
    expect(mock.pending()).toEqual([events[0]]);
  });

  it('send an acknowledged event again, and record its second acknowledgment too', async () => {
    const { mock, api } = made();
    const token = await api.token();
    const event = mock.emit('CREATED');
    await api.acknowledge(token, [itemOf(event)]);
    mock.redeliver(event.eventId);
    expect(await (await api.poll(token)).json()).toEqual([event]);
    await api.acknowledge(token, [itemOf(event)]);
    expect(mock.pending()).toEqual([]);
    expect(mock.acknowledged().map(({ eventId }) => eventId)).toEqual([event.eventId, event.eventId]);
  });

  it('throw if the hub has not emitted the event', () => {
    const { mock } = made();
    expect(() => mock.redeliver('e-1')).toThrow(/has not emitted an event with eventId 'e-1'/);
    expect(() => mock.refuseAcknowledgment('e-1')).toThrow(/has not emitted an event with eventId 'e-1'/);
  });
});
