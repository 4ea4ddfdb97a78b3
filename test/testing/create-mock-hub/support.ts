import { createMockHub, ManualClock, type MockHubOptions, type NewOrder } from 'opendelivery-client/testing';
import { plain } from '../../fixtures/plain.js';

/** A mock hub in virtual time, and requests to it in the form of the spec. */
export function made(options: MockHubOptions = {}) {
  const clock = new ManualClock();
  const mock = createMockHub({ clock, ...options });
  return { clock, mock, api: plain(mock), rules: () => mock.violations().map(({ rule }) => rule) };
}

export type Api = ReturnType<typeof plain>;

/** A mock hub with an order, events and commands for it. */
export async function ordered(options: MockHubOptions = {}, order: NewOrder = {}) {
  const hub = made(options);
  const token = await hub.api.token();
  const { orderId } = hub.mock.createOrder(order);
  return {
    ...hub,
    orderId,
    emit: (...types: readonly string[]) => {
      for (const type of types) hub.mock.emit(type, { orderId });
    },
    command: (name: string, body?: unknown, id = orderId) => hub.api.command(token, id, name, body),
    /** The types of all emitted events. */
    types: () => hub.mock.emitted().map(({ eventType }) => eventType),
  };
}
