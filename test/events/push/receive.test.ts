import { memoryState } from 'opendelivery-client';
import { ManualClock } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { afterAdvance, gate } from '../../support.js';
import { runOnceElsewhere, withCalls } from '../support.js';
import { pushOf, running, statusOf } from './support.js';

describe('a pushed event', () => {
  it('gets 200 without a body when its listeners have resolved, and is not acknowledged', async () => {
    const { clock, mock, poller } = await running({}, (poller) => {
      poller.on('CREATED', () => clock.sleep(5000));
    });
    const pushing = mock.push((request) => poller.receive(request));
    mock.createOrder();
    await clock.advance('4s');
    expect(pushing.deliveries).toEqual([]);
    await clock.advance('1s');
    expect(pushing.deliveries).toMatchObject([{ status: 200, attempt: 1 }]);
    expect(mock.pending()).toEqual([]);
    await clock.advance('2m');
    expect(mock.acknowledged()).toEqual([]);
    expect(mock.requests.filter(({ endpoint }) => endpoint === 'acknowledgment')).toEqual([]);
    expect(poller.health()).toMatchObject({ handled: 1, acknowledged: 0, unacknowledged: 0 });
  });

  it('that arrives while a poll with it is under way is handled once', async () => {
    const { clock, mock, poller, noted: handled } = await running({ hubOptions: { latencyMs: 2000 } });
    const { event } = mock.createOrder();
    // The poll has left; its response, which has the event, arrives two seconds later.
    await clock.advance('25500ms');
    expect(await statusOf(poller.receive(pushOf(event)))).toBe(200);
    expect(handled).toEqual([event.eventId]);
    await clock.advance('10s');
    expect(handled).toEqual([event.eventId]);
    expect(mock.pending()).toEqual([]);
  });

  it('that comes again gets 200 and is not handled again', async () => {
    const { poller, noted: handled, mock } = await running();
    const { event } = mock.createOrder();
    const statuses = await Promise.all([1, 2, 3].map(() => statusOf(poller.receive(pushOf(event)))));
    expect([...statuses, await statusOf(poller.receive(pushOf(event)))]).toEqual([200, 200, 200, 200]);
    expect(handled).toEqual([event.eventId]);
  });

  it('whose listener fails gets 503 with Retry-After, and a poll brings it', async () => {
    let fails = true;
    const { clock, mock, poller } = await running({}, (poller, handled) => {
      poller.on('CREATED', ({ eventId }) => {
        if (fails) throw new Error('the database is away');
        handled.push(eventId);
      });
      poller.on('error', () => {});
    });
    const { event } = mock.createOrder();
    const response = await poller.receive(pushOf(event));
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBe('30');
    expect(await response.json()).toEqual({ title: 'the event was not handled', status: 503 });
    expect(mock.pending()).toHaveLength(1);
    fails = false;
    await clock.advance('61s');
    expect(mock.acknowledged()).toMatchObject([{ eventId: event.eventId }]);
  });

  it('waits for an earlier one of its order that has failed, which is tried again first', async () => {
    let fails = true;
    const {
      mock,
      poller,
      noted: handled,
    } = await running({}, (poller, handled) => {
      poller.on('event', ({ eventType }) => {
        if (fails) throw new Error('away');
        handled.push(eventType);
      });
      poller.on('error', () => {});
    });
    const { orderId, event } = mock.createOrder();
    const confirmed = mock.emit('CONFIRMED', { orderId });
    expect(await statusOf(poller.receive(pushOf(event)))).toBe(503);
    expect(await statusOf(poller.receive(pushOf(confirmed)))).toBe(503);
    expect(handled).toEqual([]);
    fails = false;
    expect(await statusOf(poller.receive(pushOf(confirmed)))).toBe(200);
    expect(handled).toEqual(['CREATED', 'CONFIRMED']);
    expect(await statusOf(poller.receive(pushOf(event)))).toBe(200);
    expect(handled).toEqual(['CREATED', 'CONFIRMED']);
  });

  it('is answered when it is handled, before the later ones of its order', async () => {
    const { clock, mock, poller } = await running({}, (poller) => {
      poller.on('event', () => clock.sleep(1000));
    });
    const { orderId, event } = mock.createOrder();
    const types = ['CONFIRMED', 'PREPARING', 'READY_FOR_PICKUP'];
    const events = [event, ...types.map((type) => mock.emit(type, { orderId }))];
    const startedAt = clock.monotonic();
    const answers = events.map(async (each) => {
      expect(await statusOf(poller.receive(pushOf(each)))).toBe(200);
      return clock.monotonic() - startedAt;
    });
    await clock.advance('10s');
    expect(await Promise.all(answers)).toEqual([1000, 2000, 3000, 4000]);
  });

  it('without a listener gets 200, or 503 with the option unhandled: leave', async () => {
    for (const [unhandled, status] of [
      ['acknowledge', 200],
      ['leave', 503],
    ] as const) {
      const { mock, poller } = await running({ poller: { unhandled } }, (poller) => {
        poller.on('CONFIRMED', () => {});
      });
      expect(await statusOf(poller.receive(pushOf(mock.emit('DISPATCHED'))))).toBe(status);
    }
  });

  it('does not let another one with its id be acknowledged, as long as that one is open at the hub', async () => {
    const { clock, mock, poller } = await running({}, (poller) => {
      poller.on('CREATED', () => {
        throw new Error('away');
      });
      poller.on('CONFIRMED', () => {}).on('error', () => {});
    });
    const { event } = mock.createOrder();
    const twin = { ...event, orderId: 'another', eventType: 'CONFIRMED' };
    mock.faults.next('polling', { type: 'status', status: 200, body: [event, twin] });
    await clock.advance('31s');
    expect(await statusOf(poller.receive(pushOf({ ...twin, eventId: 'a third' })))).toBe(200);
    expect(await statusOf(poller.receive(pushOf(twin)))).toBe(200);
    await clock.advance('5s');
    expect(mock.requests.filter(({ endpoint }) => endpoint === 'acknowledgment')).toEqual([]);
    expect(mock.pending()).toHaveLength(1);
  });

  it('that waits behind the events of a poll is not handled after stop', async () => {
    const { promise, open } = gate();
    const { clock, mock, poller, noted } = await running({}, (poller, noted) => {
      poller.on('event', async ({ eventId }) => {
        noted.push(eventId);
        await promise;
      });
    });
    const { event } = mock.createOrder();
    await clock.advance('31s');
    mock.faults.next('acknowledgment', { type: 'latency', ms: 5000 });
    const waiting = statusOf(poller.receive(pushOf({ ...event, eventId: 'waiting', orderId: 'other' })));
    const stopped = poller.stop();
    open();
    await clock.advance('10s');
    await stopped;
    expect(await waiting).toBe(503);
    expect(noted).toEqual([event.eventId]);
  });

  it('has the lease renewed while its listeners run', async () => {
    const state = memoryState();
    const { clock, mock, poller } = await running({ state }, (poller) => {
      poller.on('CREATED', () => clock.sleep(50_000));
    });
    const { event } = mock.createOrder();
    const response = statusOf(poller.receive(pushOf(event)));
    for (let second = 0; second < 50; second += 1) {
      await clock.advance('1s');
      expect(await runOnceElsewhere({ mock, clock, state })).toMatchObject({ skipped: 'leased' });
    }
    expect(await response).toBe(200);
  });

  it.each([
    ['of its header', { 'x-app-merchantid': 'shop-7' }, {}, 'shop-7'],
    ['that it names itself', { 'x-app-merchantid': 'shop-7' }, { merchantId: 'shop-8' }, 'shop-8'],
    ['of its header, not an empty one', { 'x-app-merchantid': 'shop-7' }, { merchantId: '' }, 'shop-7'],
    ['of its header, not null', { 'x-app-merchantid': 'shop-7' }, { merchantId: null }, 'shop-7'],
    ['that it names by a number', { 'x-app-merchantid': 'shop-7' }, { merchantId: 123 }, '123'],
    ['of the poller', {}, {}, 'shop-9'],
  ])('has the shop %s in its context', async (_what, headers, fields, merchantId) => {
    const { mock, poller, noted } = await running({ poller: { merchants: ['shop-9'] } }, (poller, noted) => {
      poller.on('event', (_event, context) => void noted.push(String(context.merchantId)));
    });
    const { event } = mock.createOrder();
    expect(await statusOf(poller.receive(pushOf({ ...event, ...fields }, headers)))).toBe(200);
    expect(noted).toEqual([merchantId]);
  });

  it('of one order does not wait for the slow listener of another, whose push came at the same moment', async () => {
    const slow = gate();
    const { clock, mock, poller } = await running({}, (poller) => {
      poller.on('CREATED', ({ orderId }) => (orderId === 'slow' ? slow.promise : undefined));
    });
    const answered: string[] = [];
    const push = (orderId: string) => {
      const { event } = mock.createOrder({ orderId });
      return poller.receive(pushOf(event)).then(({ status }) => void answered.push(`${orderId} ${status}`));
    };
    const all = ['slow', 'one', 'two'].map(push);
    await clock.advance('1s');
    all.push(push('three'));
    await clock.advance('1s');
    expect(answered).toEqual(['one 200', 'two 200', 'three 200']);
    slow.open();
    await Promise.all(all);
    expect(answered.at(-1)).toBe('slow 200');
  });

  it('waits for the events of its order that are being handled, and for no others', async () => {
    const first = gate();
    const { clock, mock, poller, noted } = await running({}, (poller, noted) => {
      poller.on('event', async ({ eventType }) => {
        noted.push(eventType);
        if (eventType === 'CREATED') await first.promise;
      });
    });
    const { orderId, event } = mock.createOrder();
    const statuses = [statusOf(poller.receive(pushOf(event)))];
    await clock.advance('1s');
    statuses.push(statusOf(poller.receive(pushOf(mock.emit('CONFIRMED', { orderId })))));
    await clock.advance('1s');
    expect(noted).toEqual(['CREATED']);
    first.open();
    expect(await Promise.all(statuses)).toEqual([200, 200]);
    expect(noted).toEqual(['CREATED', 'CONFIRMED']);
  });

  it('does not wait for the acknowledgment of a poll', async () => {
    const { clock, mock, poller } = await running();
    mock.createOrder();
    mock.faults.next('acknowledgment', { type: 'latency', ms: 25_000 });
    await clock.advance('26s');
    const { event } = mock.createOrder();
    expect(await statusOf(poller.receive(pushOf(event)))).toBe(200);
    await clock.advance('1m');
  });

  it('is one of at most `concurrency` that are handled at once', async () => {
    let atWork = 0;
    let most = 0;
    const { clock, mock, poller } = await running({ poller: { concurrency: 3 } }, (poller) => {
      poller.on('CREATED', async () => {
        atWork += 1;
        most = Math.max(most, atWork);
        await clock.sleep(1000);
        atWork -= 1;
      });
    });
    const statuses = Array.from({ length: 10 }, () =>
      statusOf(poller.receive(pushOf(mock.createOrder().event))),
    );
    await clock.advance('5s');
    expect(new Set(await Promise.all(statuses))).toEqual(new Set([200]));
    expect(most).toBe(3);
  });
});

it('a pushed event that is handled while the marks of a poll with it are read is not handled again', async () => {
  const slow = { recall: false };
  const clock = new ManualClock();
  const state = withCalls(memoryState(), {
    recall: async (next) => {
      const marks = await next();
      if (!slow.recall) return marks;
      await clock.sleep(4000).finally(clock.park());
      return marks;
    },
  });
  const { mock, poller, noted } = await running({ state, clock, hubOptions: { clock } }, (poller, noted) => {
    poller.on('CREATED', async ({ eventId }) => {
      noted.push(eventId);
      await clock.sleep(3000);
    });
  });
  await clock.advance('23s');
  const { event } = mock.createOrder();
  const status = statusOf(poller.receive(pushOf(event)));
  await clock.advance('1s');
  slow.recall = true; // that of the poll, a second later
  await clock.advance('10s');
  expect(await status).toBe(200);
  await clock.advance('5s');
  expect(noted).toEqual([event.eventId]);
  expect(mock.acknowledged()).toHaveLength(1);
  slow.recall = false;
});

it('an event whose marks a push and a poll read at the same moment is counted once, whoever reads them first', async () => {
  const clock = new ManualClock();
  const latencies: number[] = [];
  const state = withCalls(memoryState(), {
    recall: async (next) => {
      const marks = await next();
      await clock.sleep(latencies.shift() ?? 0).finally(clock.park());
      return marks;
    },
  });
  const { mock, poller, noted } = await running({ state, clock, hubOptions: { clock } }, (poller, noted) => {
    poller.on('CREATED', (_event, { attempt }) => void noted.push(String(attempt)));
  });
  const { event } = mock.createOrder();
  await clock.advance('24500ms');
  // The poll half a second later gets its marks first, and they count the attempt of the push.
  latencies.push(2000, 100);
  expect(await afterAdvance(clock, '10s', statusOf(poller.receive(pushOf(event))))).toBe(200);
  expect(latencies).toEqual([]);
  expect(noted).toEqual(['1']);
});

describe('a poller that is stopped inside a listener', () => {
  it('and started again polls and handles other orders while that listener works on', async () => {
    const held = gate();
    const { clock, mock, poller, noted } = await running({}, (poller, noted) => {
      poller.on('CREATED', async ({ orderId }) => {
        noted.push(orderId);
        if (orderId !== 'first') return;
        await poller.stop();
        await held.promise;
      });
    });
    mock.createOrder({ orderId: 'first' });
    await clock.advance('31s');
    mock.createOrder({ orderId: 'second' });
    await afterAdvance(clock, '31s', poller.start());
    expect(noted).toEqual(['first', 'second']);
    held.open();
  });
});
