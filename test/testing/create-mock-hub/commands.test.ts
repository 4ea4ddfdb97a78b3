import type { KnownEventType } from 'opendelivery-client';
import type { MockHubSwitches } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { problemOf } from '../../fixtures/plain.js';
import { ordered } from './support.js';

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
  delivered: [['DISPATCHED', 'PICKED_UP'], 202, 'DELIVERED'],
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
    const { emit, command, types, rules } = await ordered({ cancellation: 'leave' }, { type });
    emit(...STAGES[stage]);
    const before = types();
    const response = await command(name);
    expect(response.status).toBe(status);
    if (status === 422) expect(await problemOf(response)).toEqual({ status, title: expect.any(String) });
    else expect(await response.text()).toBe('');
    expect(types()).toEqual(status === 422 ? before : [...before, emits]);
    expect(rules()).toEqual([]);
  });

  it.each([
    ['delivered', 'READY_FOR_PICKUP', 'TAKEOUT', 202],
    ['delivered', 'READY_FOR_PICKUP', 'INDOOR', 202],
    ['dispatch', 'CONFIRMED', 'TAKEOUT', 422],
    ['dispatch', 'CONFIRMED', 'INDOOR', 422],
  ] as const)('%s in %s of a %s order: %d', async (name, stage, type, status) => {
    const { emit, command } = await ordered({}, { type });
    emit(...STAGES[stage]);
    expect((await command(name)).status).toBe(status);
  });

  it('are not affected by events that only inform', async () => {
    const { emit, command } = await ordered();
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
      const { emit, command } = await ordered({ cancellation: 'leave' });
      emit(...STAGES[stage], ...late);
      expect([name, (await command(name)).status !== 422]).toEqual([name, legal.includes(name)]);
    }
  });

  it.each(['cancel', 'Confirm', 'READYFORPICKUP', 'constructor', '__proto__'])(
    'that do not exist get 404: %s',
    async (name) => {
      const { command, types } = await ordered();
      expect(await problemOf(await command(name))).toMatchObject({ status: 404 });
      expect(types()).toEqual(['CREATED']);
    },
  );

  it('for an unknown order get 404', async () => {
    const { command } = await ordered();
    const response = await command('confirm', undefined, 'unknown');
    expect(await problemOf(response)).toEqual({ status: 404, title: 'order not found' });
  });
});

const OPEN_REQUEST = { cancellation: 'leave' } as const;
const DENIES = { cancellation: 'deny' } as const;
const TOLERANT = { repeatedCommandStatus: 202 } as const;

/** What happens to an order: events of the hub in capitals, and commands with the status of their response. */
const STORIES: ReadonlyArray<
  readonly [what: string, Partial<MockHubSwitches>, steps: string, emitted?: string]
> = [
  [
    'a repeated command gets 202 with repeatedCommandStatus 202, and emits nothing',
    TOLERANT,
    'confirm 202, confirm 202, readyForPickup 202, readyForPickup 202, dispatch 202, dispatch 202',
    'CREATED CONFIRMED READY_FOR_PICKUP DISPATCHED',
  ],
  [
    'a command that was never legal is not a repeated one',
    TOLERANT,
    'readyForPickup 422, dispatch 422, delivered 422, acceptCancellation 422, CANCELLED, confirm 422',
    'CREATED CANCELLED',
  ],
  [
    'the hub may accept the cancellation that the store requests',
    { cancellation: 'accept' },
    'requestCancellation 202',
    'CREATED CANCELLATION_REQUESTED CANCELLED',
  ],
  [
    'the hub may deny the cancellation that the store requests; the order continues from its stage',
    DENIES,
    'confirm 202, requestCancellation 202, dispatch 202',
    'CREATED CONFIRMED CANCELLATION_REQUESTED CANCELLATION_REQUEST_DENIED DISPATCHED',
  ],
  [
    'the hub may leave the request open; a second one gets 422, until the first is denied',
    OPEN_REQUEST,
    'requestCancellation 202, requestCancellation 422, CANCELLATION_REQUEST_DENIED, requestCancellation 202',
    'CREATED CANCELLATION_REQUESTED CANCELLATION_REQUEST_DENIED CANCELLATION_REQUESTED',
  ],
  [
    'the store can deny the request of the platform; the order continues, and a new request is possible',
    {},
    `CONFIRMED, ORDER_CANCELLATION_REQUEST, denyCancellation 204, denyCancellation 422, readyForPickup 202,
     ORDER_CANCELLATION_REQUEST, acceptCancellation 204`,
    `CREATED CONFIRMED ORDER_CANCELLATION_REQUEST CANCELLED_DENIED READY_FOR_PICKUP
     ORDER_CANCELLATION_REQUEST CANCELLED`,
  ],
  [
    'the store can neither accept nor deny its own request',
    OPEN_REQUEST,
    'requestCancellation 202, acceptCancellation 422, denyCancellation 422',
  ],
  [
    'the store answers the request of the platform, and its own stays open',
    OPEN_REQUEST,
    `ORDER_CANCELLATION_REQUEST, CANCELLATION_REQUESTED, denyCancellation 204, denyCancellation 422,
     requestCancellation 422, CANCELLATION_REQUEST_DENIED, requestCancellation 202`,
  ],
  [
    'a request and its denial may have names that other hubs use',
    {},
    `ORDER_CANCELLATION_REQUESTED, CANCELLATION_DENIED, acceptCancellation 422,
     ORDER_CANCELLATION_REQUESTED, acceptCancellation 204`,
  ],
  [
    'a request and its denial may be in lower case',
    {},
    `order_cancellation_request, cancelled_denied, acceptCancellation 422,
     order_cancellation_request, acceptCancellation 204`,
  ],
  ...OPEN.map(
    (stage) =>
      [
        `the store can accept the request of the platform in ${stage}, once`,
        {},
        `${[...STAGES[stage], 'ORDER_CANCELLATION_REQUEST'].join(', ')}, requestCancellation 422,
         acceptCancellation 204, acceptCancellation 422`,
        ['CREATED', ...STAGES[stage], 'ORDER_CANCELLATION_REQUEST', 'CANCELLED'].join(' '),
      ] as const,
  ),
];

for (const [what, switches, steps, emitted] of STORIES) {
  it(what, async () => {
    const { command, emit, types } = await ordered(switches);
    for (const step of steps.split(/,\s+/)) {
      const [name = '', status] = step.split(' ');
      if (status === undefined) emit(name);
      else expect(`${name} ${(await command(name)).status}`).toBe(step);
    }
    if (emitted) expect(types()).toEqual(emitted.split(/\s+/));
  });
}
