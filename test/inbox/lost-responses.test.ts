import { type SqliteDatabase, sqliteInbox } from 'opendelivery-client/sql';
import { createMockHub, ManualClock } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { pushOf } from '../events/push/support.js';
import { clientOf, during, requestsTo } from '../support.js';
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

describe('a confirmation whose response is lost, at a hub that shows the order as it was before', () => {
  async function oldHub(onRequest: (endpoint: string | undefined, statuses: number) => void = () => {}) {
    const clock = new ManualClock();
    let statuses = 0;
    const mock = createMockHub({
      clock,
      onRequest({ endpoint }) {
        if (endpoint === 'orderStatus') statuses += 1;
        onRequest(endpoint, statuses);
      },
    });
    const { database, inbox } = await memoryInbox();
    const { orderId, order } = mock.createOrder();
    mock.faults.next(
      'order',
      { type: 'status', status: 200, body: { ...order, lastEvent: 'CREATED' } },
      1000,
    );
    const refused: string[] = [];
    const connect = () => {
      const { hub } = clientOf(mock, { clock });
      const poller = hub.poller({ inbox: sqliteInbox(database) }).on('error', () => {});
      poller.on('CREATED', (event, { commit }) => commit((_tx, outbox) => outbox.confirm(event.orderId)));
      return { hub, poller: poller.on('commandRefused', ({ command }) => void refused.push(command)) };
    };
    const statusOf = async () => (await inbox.history({ orderId })).commands.map(({ status }) => status);
    return { clock, mock, refused, connect, statusOf };
  }

  it.each([
    ['one process', 3, false],
    ['a new process each minute', 4, true],
  ])('is refused after a few minutes if the hub refuses it, by %s', async (_, attempts, isNew) => {
    const { clock, mock, refused, connect } = await oldHub();
    mock.faults.next('orderStatus', 'reset');
    mock.faults.next('orderStatus', 422, 1000);
    let { hub, poller } = connect();
    for (let minute = 0; minute < 10; minute += 1) {
      await during(clock, '1m', poller.runOnce());
      if (!isNew) continue;
      await hub.close();
      ({ hub, poller } = connect());
    }
    expect(refused).toEqual(['confirm']);
    expect(requestsTo(mock, 'orderStatus')).toHaveLength(attempts);
  });

  it('is not refused if the poll with its event comes while the hub refuses it again', async () => {
    let resume = () => {};
    let pause = () => {};
    const stage = await oldHub((endpoint, statuses) => {
      if (endpoint === 'orderStatus' && statuses === 1) pause();
      if (endpoint !== 'order' || statuses !== 2 || stage.clock.monotonic() < 30_000) return;
      stage.mock.faults.next('orderStatus', { type: 'latency', ms: 4000 });
      resume();
    });
    const { clock, mock, refused, connect, statusOf } = stage;
    const { poller } = connect();
    pause = () => poller.pause();
    resume = () => poller.resume();
    mock.faults.next('orderStatus', 'lost');
    void poller.start();
    await clock.advance('5m');
    expect([await statusOf(), refused]).toEqual([['sent'], []]);
  });
});
