import { AuthenticationError } from 'opendelivery-client';
import type { JournalEntry } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { during, requestsTo, type Stage, stage } from '../support.js';

const bearerOf = ({ headers, status }: JournalEntry) => `${headers.authorization} ${status}`;
const REPLAYED = ['Bearer [token 1] 401', 'Bearer [token 2]'];

/** A client with a token that is old enough to be renewed when the hub refuses it. */
async function withOldToken(): Promise<Stage> {
  const all = stage();
  await all.hub.auth.getToken();
  await all.clock.advance('6m');
  return all;
}

describe('401 at the acknowledgment', () => {
  it('costs one renewal and one replay, and all events end acknowledged', async () => {
    const { clock, hub, mock } = await withOldToken();
    const poller = hub.poller().on('CREATED', () => {});
    await during(clock, '6m', poller.start());
    const orders = [mock.createOrder(), mock.createOrder()];
    mock.faults.next('acknowledgment', 401);
    await clock.advance('31s');
    expect(requestsTo(mock, 'acknowledgment').map(bearerOf)).toEqual([REPLAYED[0], `${REPLAYED[1]} 202`]);
    expect(requestsTo(mock, 'token')).toHaveLength(2);
    expect(mock.acknowledged().map(({ orderId }) => orderId)).toEqual(orders.map(({ orderId }) => orderId));
    await clock.advance('5m');
    expect([mock.acknowledged().length, mock.pending().length, mock.violations()]).toEqual([2, 0, []]);
  });

  it('is not answered with a second renewal, and the events are acknowledged later', async () => {
    const { clock, hub, mock } = await withOldToken();
    const runs: string[] = [];
    const poller = hub.poller().on('CREATED', ({ eventId }) => void runs.push(eventId));
    poller.on('error', () => {});
    await during(clock, '6m', poller.start());
    const { event } = mock.createOrder();
    mock.faults.next('acknowledgment', 401, 2);
    await clock.advance('31s');
    expect(
      requestsTo(mock, 'acknowledgment')
        .map(({ status }) => status)
        .slice(0, 2),
    ).toEqual([401, 401]);
    expect(mock.pending()).toHaveLength(1);
    await clock.advance('5m');
    expect(mock.acknowledged()).toMatchObject([{ eventId: event.eventId }]);
    expect(requestsTo(mock, 'token')).toHaveLength(2);
    expect(runs).toEqual([event.eventId]);
  });
});

describe('401 at a command', () => {
  it.each(['confirm', 'requestCancellation'] as const)(
    'costs one renewal and one replay of %s, which the hub carries out once',
    async (command) => {
      const { hub, mock } = await withOldToken();
      const { orderId } = mock.createOrder();
      const body = { reason: 'no dough', code: 'UNAVAILABLE_ITEM', mode: 'MANUAL' } as const;
      mock.revokeTokens();
      if (command === 'confirm') await hub.orders.confirm(orderId);
      else await hub.orders.requestCancellation(orderId, body);
      const sent = requestsTo(mock, 'orderStatus');
      expect(sent.map(bearerOf)).toEqual([REPLAYED[0], `${REPLAYED[1]} 202`]);
      expect(sent[1]?.body).toBe(sent[0]?.body);
      expect(sent[0]?.body).not.toBe('');
      expect(requestsTo(mock, 'token')).toHaveLength(2);
      const type = { confirm: 'CONFIRMED', requestCancellation: 'CANCELLATION_REQUESTED' }[command];
      expect(mock.emitted().filter(({ eventType }) => eventType === type)).toHaveLength(1);
      expect(mock.violations()).toEqual([]);
    },
  );

  it('rejects when the replay is refused, too, and the hub has carried out nothing', async () => {
    const { hub, mock } = await withOldToken();
    const { orderId } = mock.createOrder();
    mock.faults.next('orderStatus', 401, 3);
    const error = await hub.orders.confirm(orderId).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(AuthenticationError);
    expect(error).toMatchObject({ which: 'bearer', status: 401, retryable: false });
    expect(error).not.toMatchObject({ outcome: 'unknown' });
    expect([requestsTo(mock, 'orderStatus').length, requestsTo(mock, 'token').length]).toEqual([2, 2]);
    expect(mock.emitted().map(({ eventType }) => eventType)).toEqual(['CREATED']);
  });
});
