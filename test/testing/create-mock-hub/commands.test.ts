import type { KnownEventType } from 'opendelivery-client';
import { createMockHub, ManualClock, type MockHubOptions } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { plain, problemOf } from '../../fixtures/plain.js';

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
    /** The types of the events after the first `count`. */
    emittedAfter: (count: number) =>
      mock
        .emitted()
        .slice(count)
        .map(({ eventType }) => eventType),
    count: () => mock.emitted().length,
  };
}

/** The events that bring an order to a stage. */
const STAGES = {
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

type Stage = keyof typeof STAGES;
const ALL = Object.keys(STAGES) as Stage[];
const OPEN = ALL.filter((stage) => stage !== 'CONCLUDED' && stage !== 'CANCELLED');

/** Field notes §3.1: the stages in which a command is legal, its status, and the event it leads to. */
const COMMANDS: Readonly<Record<string, [from: readonly Stage[], status: number, emits: KnownEventType]>> = {
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
  ALL.map((stage) => ({ name, stage, status: from.includes(stage) ? status : 422, emits })),
);

describe('commands', () => {
  it.each(TABLE)('$name in $stage: $status', async ({ name, stage, status, emits }) => {
    const type = name === 'pickedUp' ? 'TAKEOUT' : 'DELIVERY';
    const { emit, command, count, emittedAfter, mock } = await made({ cancellation: 'leave' }, { type });
    emit(...STAGES[stage]);
    const before = count();
    const response = await command(name);
    expect(response.status).toBe(status);
    if (status === 422) expect(await problemOf(response)).toEqual({ status, title: expect.any(String) });
    else expect(await response.text()).toBe('');
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
  ] as const)('delivered in %s: %d', async (stage, status) => {
    const { emit, command } = await made();
    emit(...STAGES[stage]);
    expect((await command('delivered')).status).toBe(status);
  });

  it.each([
    ['TAKEOUT', 202],
    ['INDOOR', 202],
    ['DELIVERY', 422],
  ])('delivered in READY_FOR_PICKUP for a %s order: %d', async (type, status) => {
    const { emit, command } = await made({}, { type });
    emit(...STAGES.READY_FOR_PICKUP);
    expect((await command('delivered')).status).toBe(status);
  });

  it.each([
    ['TAKEOUT', 422],
    ['INDOOR', 422],
    ['DELIVERY', 202],
  ])('dispatch of a %s order: %d', async (type, status) => {
    const { emit, command } = await made({}, { type });
    emit(...STAGES.CONFIRMED);
    expect((await command('dispatch')).status).toBe(status);
  });

  it('are not affected by events that only inform', async () => {
    const { emit, command } = await made();
    emit('CONFIRMED', 'PREPARATION_REQUESTED', 'READY_FOR_PICKUP', 'PICKUP_AREA_ASSIGNED', 'LOYALTY_POINTS');
    expect((await command('pickedUp')).status).toBe(202);
  });

  it.each([
    ['DISPATCHED', ['CONFIRMED', 'CREATED']],
    ['CANCELLED', ['CONCLUDED', 'CONFIRMED']],
    ['CONCLUDED', ['CANCELLED', 'CONFIRMED']],
  ] as const)('find an order in %s, whatever events come late', async (stage, late) => {
    const legal = TABLE.filter((row) => row.stage === stage && row.status !== 422).map(({ name }) => name);
    for (const { name } of TABLE.filter((row) => row.stage === stage)) {
      const { emit, command } = await made({ cancellation: 'leave' });
      emit(...STAGES[stage], ...late);
      expect([name, (await command(name)).status !== 422]).toEqual([name, legal.includes(name)]);
    }
  });

  it.each(['cancel', 'Confirm', 'READYFORPICKUP', 'constructor', '__proto__'])(
    'that do not exist get 404: %s',
    async (name) => {
      const { command, count } = await made();
      expect(await problemOf(await command(name))).toMatchObject({ status: 404 });
      expect(count()).toBe(1);
    },
  );

  it('for an unknown order get 404', async () => {
    const { command } = await made();
    expect(await problemOf(await command('confirm', 'unknown'))).toEqual({
      status: 404,
      title: 'order not found',
    });
  });
});

describe('commands that are repeated', () => {
  it('get 202 with repeatedCommandStatus 202, and emit nothing', async () => {
    const { command, emittedAfter } = await made({ repeatedCommandStatus: 202 });
    for (const name of ['confirm', 'confirm', 'readyForPickup', 'readyForPickup', 'dispatch', 'dispatch']) {
      expect((await command(name)).status, name).toBe(202);
    }
    expect(emittedAfter(0)).toEqual(['CREATED', 'CONFIRMED', 'READY_FOR_PICKUP', 'DISPATCHED']);
  });

  it('differ from commands that were never legal, which get 422', async () => {
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
  ] as const)('requested by the store: the hub may %s it', async (cancellation, events) => {
    const { command, emittedAfter } = await made({ cancellation });
    expect((await command('requestCancellation')).status).toBe(202);
    expect(emittedAfter(1)).toEqual(events);
  });

  it('requested twice gets 422 while the first request is open', async () => {
    const { command, emit } = await made({ cancellation: 'leave' });
    await command('requestCancellation');
    expect((await command('requestCancellation')).status).toBe(422);
    emit('CANCELLATION_REQUEST_DENIED');
    expect((await command('requestCancellation')).status).toBe(202);
  });

  it('denied by the hub: the order continues from its stage', async () => {
    const { command, emittedAfter } = await made({ cancellation: 'deny' });
    await command('confirm');
    await command('requestCancellation');
    expect((await command('dispatch')).status).toBe(202);
    expect(emittedAfter(4)).toEqual(['DISPATCHED']);
  });

  it.each(OPEN)('requested by the platform in %s: the store can accept it', async (stage) => {
    const { command, emit, count, emittedAfter } = await made();
    emit(...STAGES[stage], 'ORDER_CANCELLATION_REQUEST');
    const before = count();
    expect((await command('requestCancellation')).status).toBe(422);
    expect((await command('acceptCancellation')).status).toBe(204);
    expect(emittedAfter(before)).toEqual(['CANCELLED']);
    expect((await command('acceptCancellation')).status).toBe(422);
  });

  it('requested by the platform and denied by the store: the order continues, and a new request is possible', async () => {
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

  it('requested by the store: the store can neither accept nor deny it', async () => {
    const { command } = await made({ cancellation: 'leave' });
    await command('requestCancellation');
    expect((await command('acceptCancellation')).status).toBe(422);
    expect((await command('denyCancellation')).status).toBe(422);
  });

  it('requested by both sides: the store answers that of the platform, and its own stays open', async () => {
    const { command, emit } = await made({ cancellation: 'leave' });
    emit('ORDER_CANCELLATION_REQUEST', 'CANCELLATION_REQUESTED');
    expect((await command('denyCancellation')).status).toBe(204);
    expect((await command('denyCancellation')).status).toBe(422);
    expect((await command('requestCancellation')).status).toBe(422);
    emit('CANCELLATION_REQUEST_DENIED');
    expect((await command('requestCancellation')).status).toBe(202);
  });

  it.each([
    ['ORDER_CANCELLATION_REQUESTED', 'CANCELLATION_DENIED'],
    ['order_cancellation_request', 'cancelled_denied'],
  ])('requested and denied under names that other hubs use: %s, %s', async (request, denial) => {
    const { command, emit } = await made();
    emit(request, denial);
    expect((await command('acceptCancellation')).status).toBe(422);
    emit(request);
    expect((await command('acceptCancellation')).status).toBe(204);
  });
});
