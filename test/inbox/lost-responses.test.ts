import { type SqliteDatabase, sqliteInbox } from 'opendelivery-client/sql';
import { createMockHub, ManualClock } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { pushOf } from '../events/push/support.js';
import { clientOf } from '../support.js';
import { memoryInbox } from './support.js';

/** A hub that does not show the last event of an order. */
async function silentHub(cancellation: 'deny' | 'leave') {
  const clock = new ManualClock();
  const mock = createMockHub({ clock, cancellation });
  mock.faults.next('order', 404, 1000);
  const { database, inbox } = await memoryInbox();
  const refused: string[] = [];
  const connect = (given: SqliteDatabase = database) => {
    const poller = clientOf(mock, { clock })
      .hub.poller({ inbox: sqliteInbox(given) })
      .on('error', () => {});
    return poller.on('commandRefused', ({ command }) => void refused.push(command));
  };
  const statuses = async (orderId: string) =>
    (await inbox.history({ orderId })).commands.map(({ status }) => status);
  return { clock, mock, database, refused, connect, statuses };
}

/** The client stops waiting for it. */
const TOO_LATE = { type: 'latency', ms: 60_000 } as const;

const request = (code: string) => ({ reason: 'no rice', code, mode: 'AUTO' });

type Poller = ReturnType<Awaited<ReturnType<typeof silentHub>>['connect']>;

/** It asks for the cancellation of each new order. */
const asking = (poller: Poller) =>
  poller.on('CREATED', ({ orderId }, { commit }) =>
    commit((_tx, outbox) => outbox.requestCancellation(orderId, request('SYSTEMIC_ISSUES'))),
  );

describe('a cancellation request whose response is lost', () => {
  it.each([
    ['resent', false],
    ['overtaken by a push of the next one', true],
  ])('is not proved by an event of an earlier request that is %s', async (_, isPushed) => {
    const { clock, mock, refused, connect, statuses } = await silentHub('deny');
    const poller = asking(connect());
    let runs = 0;
    poller.on('CANCELLATION_REQUEST_DENIED', async ({ orderId }, { commit }) => {
      runs += 1;
      mock.faults.next('orderStatus', 'reset');
      mock.faults.next('acknowledgment', 'reset', 4);
      await commit((_tx, outbox) => outbox.requestCancellation(orderId, request('RISK_AREA')));
    });
    const { orderId } = mock.createOrder();
    await poller.start();
    await clock.advance(isPushed ? '2s' : '20s');
    const denial = mock.emitted().find(({ eventType }) => eventType === 'CANCELLATION_REQUEST_DENIED');
    if (isPushed) await poller.receive(pushOf(denial));
    else mock.faults.next('acknowledgment', 'reset', 4);
    await clock.advance('10m');
    expect(runs).toBe(1);
    expect(await statuses(orderId)).toEqual(['sent', 'refused']);
    expect(refused).toEqual(['requestCancellation']);
  });

  it.each([
    ['a listener', true],
    ['no listener', false],
  ])('is proved by an event that came before the loss, with %s for it', async (_, isHeard) => {
    const { clock, mock, refused, connect, statuses } = await silentHub('leave');
    const poller = asking(connect());
    if (isHeard) poller.on('CANCELLATION_REQUESTED', () => {});
    mock.faults.next('orderStatus', TOO_LATE);
    await poller.start();
    await clock.advance('10s');
    const { orderId, ...created } = mock.createOrder().event;
    await poller.receive(pushOf({ orderId, ...created }));
    await clock.advance('5s');
    const requested = mock.emitted().find(({ eventType }) => eventType === 'CANCELLATION_REQUESTED');
    await poller.receive(pushOf(requested));
    await clock.advance('5m');
    expect([await statuses(orderId), refused]).toEqual([['sent'], []]);
  });

  it.each([
    ['a listener', true],
    ['no listener', false],
  ])(
    'is proved by an event that came to a process after the one that has sent it, with %s',
    async (_, isHeard) => {
      const { clock, mock, database, refused, connect, statuses } = await silentHub('leave');
      const listen = (poller: Poller) => {
        if (isHeard) poller.on('CANCELLATION_REQUESTED', () => {});
        return asking(poller);
      };
      // As if it were killed while it waits for the response: it writes nothing any more.
      let isKilled = false;
      const prepare: SqliteDatabase['prepare'] = (sql) => {
        if (isKilled) throw new Error('killed');
        return database.prepare(sql);
      };
      mock.faults.next('orderStatus', TOO_LATE);
      const { orderId } = mock.createOrder();
      await listen(connect({ exec: (sql) => database.exec(sql), prepare })).start();
      await clock.advance('10s');
      isKilled = true;
      const next = listen(connect());
      void next.start();
      await clock.advance('10m');
      expect([await statuses(orderId), refused]).toEqual([['sent'], []]);
    },
  );

  it.each([
    ['the hub has refused an earlier request', 'RISK_AREA', [400, 'lost'], ['refused', 'sent']],
    ['the same request waits behind it', 'SYSTEMIC_ISSUES', ['lost'], ['sent', expect.anything()]],
  ] as const)('is proved by its event, although %s', async (_, code, faults, expected) => {
    const { clock, mock, connect, statuses } = await silentHub('leave');
    const poller = connect().on('CANCELLATION_REQUESTED', () => {});
    poller.on('CREATED', ({ orderId }, { commit }) =>
      commit((_tx, outbox) => {
        outbox.requestCancellation(orderId, request('SYSTEMIC_ISSUES'));
        outbox.requestCancellation(orderId, request(code));
      }),
    );
    for (const fault of faults) mock.faults.next('orderStatus', fault);
    const { orderId } = mock.createOrder();
    await poller.start();
    await clock.advance('5m');
    expect(await statuses(orderId)).toEqual(expected);
  });

  it('is not proved by an event that nobody listens to and that the hub sends again', async () => {
    const { clock, mock, connect, statuses } = await silentHub('leave');
    const poller = connect().on('CREATED', () => {});
    poller.on('PREPARING', ({ orderId }, { commit }) => {
      mock.faults.next('orderStatus', 'reset');
      return commit((_tx, outbox) => outbox.requestCancellation(orderId, request('SYSTEMIC_ISSUES')));
    });
    const { orderId } = mock.createOrder();
    await poller.start();
    await clock.advance('5s');
    // Asked for in another way.
    mock.emit('CANCELLATION_REQUESTED', { orderId });
    mock.emit('PREPARING', { orderId });
    mock.faults.next('acknowledgment', 'reset', 20);
    await clock.advance('10m');
    expect(await statuses(orderId)).toEqual(['refused']);
  });

  it('is not proved by an event that was stored before it, nor by one of another store', async () => {
    const { clock, mock, connect, statuses, database } = await silentHub('leave');
    const poller = connect();
    poller.on('CREATED', () => {}).on('CANCELLATION_REQUESTED', () => {});
    poller.on('PREPARING', ({ orderId }, { commit }) => {
      mock.faults.next('orderStatus', 'reset');
      return commit((_tx, outbox) => outbox.requestCancellation(orderId, request('SYSTEMIC_ISSUES')));
    });
    const { orderId } = mock.createOrder();
    mock.emit('CANCELLATION_REQUESTED', { orderId });
    await poller.start();
    await clock.advance('31s');
    mock.emit('PREPARING', { orderId });
    await clock.advance('31s');
    // Of a store with the same order id, and later.
    database.exec(`insert into opendelivery_inbox (hub, store_id, event_key, event_id, order_id, event_type, event, status,
        attempts, counted, due_at, received_at, handled_at)
      select hub, 'another', event_key, event_id, order_id, event_type, event, status, attempts, counted, due_at, '2099', '2099'
      from opendelivery_inbox where event_type = 'CANCELLATION_REQUESTED'`);
    await clock.advance('5m');
    expect(await statuses(orderId)).toEqual(['refused']);
  });
});
