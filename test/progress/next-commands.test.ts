import {
  type CommandedOrder,
  type HostProfile,
  type NextCommand,
  type NextCommandsOptions,
  nextCommands,
  type OrderStage,
} from 'opendelivery-client';
import { describe, expect, it } from 'vitest';

import { progressOf, STAGES } from './lifecycles.js';

const FLAGS = { sendPreparing: true, sendPickedUp: true, sendDelivered: true };
const DELIVERY: CommandedOrder = { type: 'DELIVERY', delivery: { deliveredBy: 'MERCHANT' }, ...FLAGS };
const BY_MARKETPLACE: CommandedOrder = { ...DELIVERY, delivery: { deliveredBy: 'MARKETPLACE' } };
const TAKEOUT: CommandedOrder = { type: 'TAKEOUT', ...FLAGS };
const INDOOR: CommandedOrder = { type: 'INDOOR', ...FLAGS };
const without = ({ type, delivery }: CommandedOrder): CommandedOrder => ({ type, delivery });

const at = (stage: OrderStage, order: CommandedOrder, options?: NextCommandsOptions) =>
  nextCommands({ stage, cancellation: 'none' }, order, options).filter(
    (name) => name !== 'requestCancellation',
  );

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
    ['delivery by the marketplace', BY_MARKETPLACE, 'CONFIRMED', ['preparing', 'readyForPickup']],
    ['delivery by the marketplace', BY_MARKETPLACE, 'PREPARING', ['readyForPickup']],
    ['delivery by the marketplace', BY_MARKETPLACE, 'READY_FOR_PICKUP', []],
    ['delivery by the marketplace', BY_MARKETPLACE, 'DISPATCHED', []],
    ['delivery by the marketplace', BY_MARKETPLACE, 'PICKED_UP', []],
    ['delivery by nobody knows whom', { type: 'DELIVERY', ...FLAGS }, 'READY_FOR_PICKUP', ['dispatch']],
    ['delivery by nobody knows whom', { type: 'DELIVERY', ...FLAGS }, 'DISPATCHED', ['delivered']],
    ['delivery by a drone', { ...DELIVERY, delivery: { deliveredBy: 'DRONE' } }, 'READY_FOR_PICKUP', []],
    ['takeout', TAKEOUT, 'CONFIRMED', ['preparing', 'readyForPickup']],
    ['takeout', TAKEOUT, 'READY_FOR_PICKUP', ['pickedUp']],
    ['takeout', TAKEOUT, 'PICKED_UP', []],
    [
      'takeout with a trace of a delivery',
      { ...BY_MARKETPLACE, ...TAKEOUT },
      'READY_FOR_PICKUP',
      ['pickedUp'],
    ],
    ['takeout without flags', without(TAKEOUT), 'CONFIRMED', ['readyForPickup']],
    ['takeout without flags', without(TAKEOUT), 'READY_FOR_PICKUP', []],
    ['indoor', INDOOR, 'CREATED', ['confirm']],
    ['indoor', INDOOR, 'READY_FOR_PICKUP', []],
    ['indoor without flags', without(INDOOR), 'READY_FOR_PICKUP', []],
    ['order without a type', {}, 'CONFIRMED', ['readyForPickup']],
    ['order of an unknown type', { type: 'DRIVE_IN' }, 'CREATED', ['confirm']],
  ])('of a %s (%j) that is %s: %j', (_what, order, stage, commands) => {
    expect(at(stage, order)).toEqual(commands);
  });

  it.each([
    ['delivery', DELIVERY, 'CONFIRMED', ['preparing', 'readyForPickup', 'dispatch']],
    ['delivery', DELIVERY, 'DISPATCHED', ['delivered']],
    ['delivery by the marketplace', BY_MARKETPLACE, 'READY_FOR_PICKUP', []],
    ['delivery by the marketplace', BY_MARKETPLACE, 'DISPATCHED', []],
    ['takeout', TAKEOUT, 'READY_FOR_PICKUP', ['pickedUp']],
    ['indoor', INDOOR, 'CONFIRMED', ['preparing', 'readyForPickup']],
    ['indoor', INDOOR, 'READY_FOR_PICKUP', []],
  ] as const)(
    'adds what the standard allows to a %s without flags, if it is asked to',
    (_what, order, stage, commands) => {
      const flags = { sendPreparing: false, sendPickedUp: false, sendDelivered: false };
      for (const given of [without(order), { ...order, ...flags }]) {
        expect(at(stage, given, { optional: true })).toEqual(commands);
        expect(at(stage, given)).toEqual(
          commands.filter((name) => name === 'readyForPickup' || name === 'dispatch'),
        );
      }
    },
  );

  it('names what the host requires of an order without flags, and nothing that is not for the order', () => {
    const profile: HostProfile = { commands: { required: ['pickedUp', 'delivered'] } };
    expect(at('CONFIRMED', without(DELIVERY), { profile })).toEqual(['readyForPickup', 'dispatch']);
    expect(at('DISPATCHED', without(DELIVERY), { profile })).toEqual(['delivered']);
    expect(at('READY_FOR_PICKUP', { ...TAKEOUT, sendPickedUp: false }, { profile })).toEqual(['pickedUp']);
    expect(at('DISPATCHED', without(BY_MARKETPLACE), { profile })).toEqual([]);
    expect(at('DISPATCHED', without(DELIVERY), { profile: {} })).toEqual([]);
  });

  it.each([
    [{ optionl: true }, 'optionl'],
    [{ optional: 'yes' }, 'optional'],
    [{ profile: '99food' }, 'profile'],
    [{ profile: { commands: { required: ['dispatch'] } } }, 'profile.commands.required[0]'],
    [{ profile: { commands: { require: [] } } }, 'profile.commands.require'],
  ])('refuses the options %j', (options, option) => {
    expect(() => at('CREATED', DELIVERY, options as never)).toThrow(
      expect.objectContaining({ code: 'configuration', option }),
    );
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
