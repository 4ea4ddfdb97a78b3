import type { KnownEventType } from 'opendelivery-client';
import { createMockHub, ManualClock, type MockHubOptions } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { plain, problemOf } from '../fixtures/plain.js';

async function made(options: MockHubOptions = {}, order: Record<string, unknown> = {}) {
  const mock = createMockHub({ clock: new ManualClock(), ...options });
  const api = plain(mock);
  const token = await api.token();
  const { orderId } = mock.createOrder(order);
  return {
    mock,
    emit: (...types: readonly string[]) => {
      for (const type of types) mock.emit(type, { orderId });
    },
    command: (status: string, id = orderId) => api.command(token, id, status),
    /** What was emitted since an event of this type. */
    emittedAfter: (count: number) =>
      mock
        .emitted()
        .slice(count)
        .map(({ eventType }) => eventType),
    count: () => mock.emitted().length,
  };
}

/** How an order gets to a state. */
const STATES = {
  CREATED: [],
  CONFIRMED: ['CONFIRMED'],
  PREPARING: ['CONFIRMED', 'PREPARING'],
  READY_FOR_PICKUP: ['CONFIRMED', 'READY_FOR_PICKUP'],
  DISPATCHED: ['CONFIRMED', 'DISPATCHED'],
  PICKED_UP: ['CONFIRMED', 'READY_FOR_PICKUP', 'PICKED_UP'],
  DELIVERED: ['CONFIRMED', 'DISPATCHED', 'DELIVERED'],
  CONCLUDED: ['CONFIRMED', 'DISPATCHED', 'CONCLUDED'],
  CANCELLED: ['CANCELLED'],
} as const satisfies Partial<Record<KnownEventType, readonly KnownEventType[]>>;

type State = keyof typeof STATES;
const ALL = Object.keys(STATES) as State[];
const OPEN = ALL.filter((state) => state !== 'CONCLUDED' && state !== 'CANCELLED');

/** Field notes §3.1: the states a command is legal in, what it answers and emits. */
const COMMANDS: Readonly<Record<string, [from: readonly State[], status: number, emits: KnownEventType]>> = {
  confirm: [['CREATED'], 202, 'CONFIRMED'],
  preparing: [['CONFIRMED'], 202, 'PREPARING'],
  readyForPickup: [['CONFIRMED', 'PREPARING'], 202, 'READY_FOR_PICKUP'],
  dispatch: [['CONFIRMED', 'PREPARING', 'READY_FOR_PICKUP'], 202, 'DISPATCHED'],
  pickedUp: [['READY_FOR_PICKUP'], 202, 'PICKED_UP'],
  requestCancellation: [OPEN, 202, 'CANCELLATION_REQUESTED'],
  acceptCancellation: [[], 204, 'CANCELLED'],
  denyCancellation: [[], 204, 'CANCELLED_DENIED'],
};

const TABLE = Object.entries(COMMANDS).flatMap(([name, [from, status, emits]]) =>
  ALL.map((state) => ({ name, state, status: from.includes(state) ? status : 422, emits })),
);

describe('commands', () => {
  it.each(TABLE)('$name in $state: $status', async ({ name, state, status, emits }) => {
    const { emit, command, count, emittedAfter, mock } = await made({ cancellation: 'leave' });
    emit(...STATES[state]);
    const before = count();
    const answer = await command(name);
    expect(answer.status).toBe(status);
    if (status === 422) expect(await problemOf(answer)).toEqual({ status, title: expect.any(String) });
    else expect(await answer.text()).toBe('');
    expect(emittedAfter(before)).toEqual(status === 422 ? [] : [emits]);
    expect(mock.violations()).toEqual([]);
  });

  it.each([
    ['CREATED', 422],
    ['CONFIRMED', 422],
    ['PREPARING', 422],
    ['DISPATCHED', 202],
    ['DELIVERED', 422],
    ['CONCLUDED', 422],
    ['CANCELLED', 422],
  ] as const)('delivered in %s: %d', async (state, status) => {
    const { emit, command } = await made();
    emit(...STATES[state]);
    expect((await command('delivered')).status).toBe(status);
  });

  it.each([
    ['TAKEOUT', 202],
    ['INDOOR', 202],
    ['DELIVERY', 422],
  ])('delivered in READY_FOR_PICKUP, without a courier, of an order for %s: %d', async (type, status) => {
    const { emit, command } = await made({}, { type });
    emit(...STATES.READY_FOR_PICKUP);
    expect((await command('delivered')).status).toBe(status);
  });

  it.each([
    ['TAKEOUT', 422],
    ['INDOOR', 422],
    ['DELIVERY', 202],
  ])('dispatch of an order for %s: %d', async (type, status) => {
    const { emit, command } = await made({}, { type });
    emit(...STATES.CONFIRMED);
    expect((await command('dispatch')).status).toBe(status);
  });

  it('move an order through its whole life', async () => {
    const { command, emittedAfter } = await made();
    for (const name of ['confirm', 'preparing', 'readyForPickup', 'dispatch', 'delivered']) {
      expect((await command(name)).status, name).toBe(202);
    }
    expect(emittedAfter(0)).toEqual([
      'CREATED',
      'CONFIRMED',
      'PREPARING',
      'READY_FOR_PICKUP',
      'DISPATCHED',
      'DELIVERED',
    ]);
  });

  it('are not stopped by events that only inform', async () => {
    const { emit, command } = await made();
    emit('CONFIRMED', 'PREPARATION_REQUESTED', 'READY_FOR_PICKUP', 'PICKUP_AREA_ASSIGNED', 'LOYALTY_POINTS');
    expect((await command('pickedUp')).status).toBe(202);
  });

  it.each(['cancel', 'Confirm', 'READYFORPICKUP', 'constructor', '__proto__'])(
    'that nobody knows are 404: %s',
    async (name) => {
      const { command, count } = await made();
      expect(await problemOf(await command(name))).toMatchObject({ status: 404 });
      expect(count()).toBe(1);
    },
  );

  it('of an order nobody knows are 404', async () => {
    const { command } = await made();
    expect(await problemOf(await command('confirm', 'unknown'))).toEqual({
      status: 404,
      title: 'order not found',
    });
  });
});

describe('commands that are repeated', () => {
  it('are 422 as the standard says', async () => {
    const { command } = await made();
    await command('confirm');
    expect((await command('confirm')).status).toBe(422);
  });

  it('are 202 where the switch says so, and emit nothing again', async () => {
    const { command, emittedAfter } = await made({ repeatedCommandStatus: 202 });
    for (const name of ['confirm', 'confirm', 'readyForPickup', 'readyForPickup', 'dispatch', 'dispatch']) {
      expect((await command(name)).status, name).toBe(202);
    }
    expect(emittedAfter(0)).toEqual(['CREATED', 'CONFIRMED', 'READY_FOR_PICKUP', 'DISPATCHED']);
  });

  it('are told from commands that were never possible, which stay 422', async () => {
    const { command, emit, count } = await made({ repeatedCommandStatus: 202 });
    for (const name of ['readyForPickup', 'dispatch', 'delivered', 'acceptCancellation']) {
      expect((await command(name)).status, name).toBe(422);
    }
    emit('CANCELLED');
    expect((await command('confirm')).status).toBe(422);
    expect(count()).toBe(2);
  });
});

describe('cancellation', () => {
  it.each([
    ['accept', ['CANCELLATION_REQUESTED', 'CANCELLED']],
    ['deny', ['CANCELLATION_REQUESTED', 'CANCELLATION_REQUEST_DENIED']],
    ['leave', ['CANCELLATION_REQUESTED']],
  ] as const)('asked for by the store, the hub may %s it', async (cancellation, events) => {
    const { command, emittedAfter } = await made({ cancellation });
    expect((await command('requestCancellation')).status).toBe(202);
    expect(emittedAfter(1)).toEqual(events);
  });

  it('asked for twice is 422 while the first is open', async () => {
    const { command, emit } = await made({ cancellation: 'leave' });
    await command('requestCancellation');
    expect((await command('requestCancellation')).status).toBe(422);
    emit('CANCELLATION_REQUEST_DENIED');
    expect((await command('requestCancellation')).status).toBe(202);
  });

  it('denied by the hub, the order goes on where it was', async () => {
    const { command, emittedAfter } = await made({ cancellation: 'deny' });
    await command('confirm');
    await command('requestCancellation');
    expect((await command('dispatch')).status).toBe(202);
    expect(emittedAfter(4)).toEqual(['DISPATCHED']);
  });

  it.each(OPEN)('asked for by the platform in %s, the store accepts it', async (state) => {
    const { command, emit, count, emittedAfter } = await made();
    emit(...STATES[state], 'ORDER_CANCELLATION_REQUEST');
    const before = count();
    expect((await command('requestCancellation')).status).toBe(422);
    expect((await command('acceptCancellation')).status).toBe(204);
    expect(emittedAfter(before)).toEqual(['CANCELLED']);
    expect((await command('acceptCancellation')).status).toBe(422);
  });

  it('asked for by the platform and denied by the store, the order goes on, and may be asked for again', async () => {
    const { command, emit, count, emittedAfter } = await made();
    emit('CONFIRMED', 'ORDER_CANCELLATION_REQUEST');
    const before = count();
    expect((await command('denyCancellation')).status).toBe(204);
    expect((await command('denyCancellation')).status).toBe(422);
    expect((await command('readyForPickup')).status).toBe(202);
    expect(emittedAfter(before)).toEqual(['CANCELLED_DENIED', 'READY_FOR_PICKUP']);
    emit('ORDER_CANCELLATION_REQUEST');
    expect((await command('acceptCancellation')).status).toBe(204);
  });

  it("asked for by the store is not the platform's to be accepted", async () => {
    const { command } = await made({ cancellation: 'leave' });
    await command('requestCancellation');
    expect((await command('acceptCancellation')).status).toBe(422);
    expect((await command('denyCancellation')).status).toBe(422);
  });
});
