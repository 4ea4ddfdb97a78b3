import * as fc from 'fast-check';
import {
  type CommandedOrder,
  type NextCommand,
  nextCommands,
  type OrderStage,
  orderProgress,
  type ProgressEvent,
} from 'opendelivery-client';
import { describe, expect, it } from 'vitest';

import { applyEvent, checkCommand, type OrderState } from '../../src/testing/order-lifecycle.js';
import { runs } from '../runs.js';
import { progressOf, STAGES } from './lifecycles.js';

const FLAGS = { sendPreparing: true, sendPickedUp: true, sendDelivered: true };
const DELIVERY: CommandedOrder = { type: 'DELIVERY', delivery: { deliveredBy: 'MERCHANT' }, ...FLAGS };
const BY_MARKETPLACE: CommandedOrder = { ...DELIVERY, delivery: { deliveredBy: 'MARKETPLACE' } };
const TAKEOUT: CommandedOrder = { type: 'TAKEOUT', ...FLAGS };
const INDOOR: CommandedOrder = { type: 'INDOOR', ...FLAGS };
const without = ({ type, delivery }: CommandedOrder): CommandedOrder => ({ type, delivery });

const at = (stage: OrderStage, order: CommandedOrder) =>
  nextCommands({ stage, cancellation: 'none' }, order).filter((name) => name !== 'requestCancellation');

describe('nextCommands', () => {
  it.each<[string, CommandedOrder, OrderStage, NextCommand[]]>([
    ['delivery', DELIVERY, 'CREATED', ['confirm']],
    ['delivery', DELIVERY, 'CONFIRMED', ['preparing', 'readyForPickup', 'dispatch']],
    ['delivery', DELIVERY, 'PREPARING', ['readyForPickup', 'dispatch']],
    ['delivery', DELIVERY, 'READY_FOR_PICKUP', ['dispatch']],
    ['delivery', DELIVERY, 'DISPATCHED', ['delivered']],
    ['delivery', DELIVERY, 'PICKED_UP', ['delivered']],
    ['delivery', DELIVERY, 'DELIVERED', []],
    ['delivery without flags', without(DELIVERY), 'CONFIRMED', ['readyForPickup', 'dispatch']],
    ['delivery without flags', without(DELIVERY), 'DISPATCHED', []],
    ['delivery by the marketplace', BY_MARKETPLACE, 'READY_FOR_PICKUP', ['dispatch']],
    ['delivery by the marketplace', BY_MARKETPLACE, 'DISPATCHED', []],
    ['takeout', TAKEOUT, 'CONFIRMED', ['preparing', 'readyForPickup']],
    ['takeout', TAKEOUT, 'READY_FOR_PICKUP', ['pickedUp', 'delivered']],
    ['takeout', TAKEOUT, 'PICKED_UP', ['delivered']],
    ['takeout without flags', without(TAKEOUT), 'CONFIRMED', ['readyForPickup']],
    ['takeout without flags', without(TAKEOUT), 'READY_FOR_PICKUP', []],
    ['indoor', INDOOR, 'CREATED', ['confirm']],
    ['indoor', INDOOR, 'READY_FOR_PICKUP', ['delivered']],
    ['indoor without flags', without(INDOOR), 'READY_FOR_PICKUP', []],
    ['order without a type', {}, 'CONFIRMED', ['readyForPickup']],
    ['order of an unknown type', { type: 'DRIVE_IN' }, 'CREATED', ['confirm']],
  ])('of a %s (%j) that is %s: %j', (_what, order, stage, commands) => {
    expect(at(stage, order)).toEqual(commands);
  });

  it.each(['CONCLUDED', 'CANCELLED'] as const)('is empty if the order is %s', (stage) => {
    for (const cancellation of ['none', 'asked_by_hub', 'asked_by_store', 'denied'] as const) {
      expect(nextCommands({ stage, cancellation }, DELIVERY)).toEqual([]);
    }
  });

  it('begins with the answers to a request of the hub', () => {
    expect(nextCommands({ stage: 'CREATED', cancellation: 'asked_by_hub' }, DELIVERY)).toEqual([
      'acceptCancellation',
      'denyCancellation',
      'confirm',
    ]);
  });

  it('does not request a cancellation while a request is open', () => {
    expect(nextCommands({ stage: 'CREATED', cancellation: 'asked_by_store' }, DELIVERY)).toEqual(['confirm']);
  });

  it.each([
    ['ORDER_CANCELLATION_REQUEST', 'CANCELLED_DENIED'],
    ['CANCELLATION_REQUESTED', 'CANCELLATION_REQUEST_DENIED'],
  ])('are after %s and %s what they were before', (request, denial) => {
    for (const stage of STAGES) {
      const before = [{ eventId: '1', eventType: stage, createdAt: undefined }];
      const asked = [...before, { eventId: '2', eventType: request, createdAt: undefined }];
      const denied = [...asked, { eventId: '3', eventType: denial, createdAt: undefined }];
      const [first, last] = [progressOf(before), progressOf(denied)] as [never, never];
      expect(nextCommands(last, DELIVERY)).toEqual(nextCommands(first, DELIVERY));
    }
  });

  it.each([[undefined], [null], ['CREATED'], [{}], [{ stage: 'CREATED' }]])(
    'refuses the progress %j',
    (progress) => {
      expect(() => nextCommands(progress as never, DELIVERY)).toThrow(
        expect.objectContaining({ code: 'configuration', option: 'progress' }),
      );
    },
  );

  it.each([[undefined], [null], ['DELIVERY']])('refuses the order %j', (order) => {
    expect(() => nextCommands({ stage: 'CREATED', cancellation: 'none' }, order as never)).toThrow(
      expect.objectContaining({ code: 'configuration', option: 'order' }),
    );
  });
});

/** An order at the mock hub, and the events that it has emitted for it. */
class OrderAtHub {
  readonly state: OrderState = { stage: 'CREATED', cancellationBy: undefined };
  readonly events: ProgressEvent[] = [];
  readonly #sameTime: boolean;

  constructor(sameTime: boolean) {
    this.#sameTime = sameTime;
    this.emit('CREATED');
  }

  emit(eventType: string): void {
    const index = this.events.length;
    const createdAt = new Date(Date.UTC(2026, 0, 1, 12, this.#sameTime ? 0 : index)).toISOString();
    this.events.push({ eventId: `event-${index}`, eventType, createdAt });
    applyEvent(this.state, eventType);
  }

  send(command: string, { type }: CommandedOrder): void {
    const result = checkCommand(this.state, command, String(type));
    expect(result, `${command} of ${JSON.stringify(this.state)}`).toHaveProperty('emits');
    if (result && 'emits' in result) this.emit(result.emits);
  }

  /** Emits what a hub may emit now: it does not go back, and asks again only after an answer. */
  emitIfPossible(eventType: string): void {
    const { stage, cancellationBy } = this.state;
    if (stage === 'CONCLUDED' || stage === 'CANCELLED') return;
    const rank = STAGES.indexOf(eventType as OrderStage);
    if (rank !== -1 && rank <= STAGES.indexOf(stage as OrderStage)) return;
    if (eventType === 'ORDER_CANCELLATION_REQUEST' && cancellationBy) return;
    if (eventType === 'CANCELLATION_REQUEST_DENIED' && cancellationBy !== 'merchant') return;
    this.emit(eventType);
  }
}

const ORDERS = [DELIVERY, BY_MARKETPLACE, TAKEOUT, INDOOR].flatMap((order) => [order, without(order)]);

const EMITTED = [
  ...STAGES,
  'PREPARATION_REQUESTED',
  'PICKUP_AREA_ASSIGNED',
  'ORDER_CANCELLATION_REQUEST',
  'CANCELLATION_REQUEST_DENIED',
  'DRONE_LAUNCHED',
];

describe('against the mock hub', () => {
  it('has only commands that the hub accepts, after any commands and events', () => {
    const step = fc.oneof(
      { weight: 2, arbitrary: fc.nat(20) },
      { weight: 1, arbitrary: fc.constantFrom(...EMITTED) },
    );
    fc.assert(
      fc.property(
        fc.constantFrom(...ORDERS),
        fc.boolean(),
        fc.array(step, { maxLength: 15 }),
        (order, sameTime, steps) => {
          const atHub = new OrderAtHub(sameTime);
          for (const each of steps) {
            const progress = progressOf(atHub.events) as never;
            const commands = nextCommands(progress, order);
            for (const command of commands) {
              expect(checkCommand({ ...atHub.state }, command, String(order.type))).toHaveProperty('emits');
            }
            if (typeof each === 'string') atHub.emitIfPossible(each);
            else if (commands.length > 0) atHub.send(commands[each % commands.length] as string, order);
          }
        },
      ),
      { numRuns: runs(4000) },
    );
  });

  it.each(ORDERS.map((order) => [order] as const))(
    'moves an order on until only the hub can, with every event that the order asks for: %j',
    (order) => {
      const atHub = new OrderAtHub(true);
      for (;;) {
        const [next] = nextCommands(progressOf(atHub.events) as never, order);
        if (next === undefined || next === 'requestCancellation') break;
        atHub.send(next, order);
      }
      const types = atHub.events.map(({ eventType }) => eventType);
      const isByStore = order.delivery?.deliveredBy !== 'MARKETPLACE';
      expect(types).toEqual([
        'CREATED',
        'CONFIRMED',
        ...(order.sendPreparing ? ['PREPARING'] : []),
        'READY_FOR_PICKUP',
        ...(order.type === 'DELIVERY' ? ['DISPATCHED'] : []),
        ...(order.type === 'TAKEOUT' && order.sendPickedUp ? ['PICKED_UP'] : []),
        ...(order.sendDelivered && isByStore ? ['DELIVERED'] : []),
      ]);
      // No other command is left that the hub accepts and the order has asked for.
      expect(orderProgress(progressOf(atHub.events), { eventId: 'x', eventType: 'CONCLUDED' }).stage).toBe(
        'CONCLUDED',
      );
    },
  );
});
