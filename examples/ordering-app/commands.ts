import { type HubClient, isHubError } from 'opendelivery-client';
import { COMMANDS, type CommandName } from './lifecycle.js';
import type { KeptOrder, OrderBook } from './order-book.js';

/** Why the store may ask to cancel: the hub's codes, and words for people. */
export const CANCELLATION_REASONS: Readonly<Record<string, string>> = {
  UNAVAILABLE_ITEM: 'An item is not available',
  INTERNAL_DIFFICULTIES_OF_THE_RESTAURANT: 'The kitchen cannot make it',
  ORDER_OUTSIDE_THE_DELIVERY_AREA: 'Outside the delivery area',
};

/** Why the store asks to cancel: one of the codes and, if somebody typed them, words of their own. */
export interface Reason {
  readonly code?: string | undefined;
  readonly words?: string | undefined;
}

/** Sends to the hub what a person has clicked, once, and writes down what came of it. */
export class Commands {
  readonly #hub: HubClient;
  readonly #orders: OrderBook;
  readonly #underWay = new Set<Promise<boolean>>();

  constructor(hub: HubClient, orders: OrderBook) {
    this.#hub = hub;
    this.#orders = orders;
  }

  /** False where the command is not possible any more, or is on its way already; then nothing is sent. */
  run(orderId: string, command: CommandName, reason?: Reason): Promise<boolean> {
    const run = this.#run(orderId, command, reason);
    this.#underWay.add(run);
    return run.finally(() => this.#underWay.delete(run));
  }

  /** Resolves when everything under way has been written down. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#underWay);
  }

  async #run(orderId: string, command: CommandName, reason?: Reason): Promise<boolean> {
    const order = this.#orders.begin(orderId, command);
    if (!order) return false;
    const problem = await this.#send(order, command, reason).then(
      () => null,
      (error: unknown) => describe(command, error),
    );
    this.#orders.end(orderId, problem);
    return true;
  }

  #send({ orderId, details, expected }: KeptOrder, command: CommandName, reason: Reason = {}): Promise<void> {
    const { orders } = this.#hub;
    switch (command) {
      case 'confirm':
        return orders.confirm(orderId, { orderExternalCode: details.displayId ?? orderId });
      case 'requestCancellation': {
        const { code = '', words } = reason;
        const text = words?.trim() || (CANCELLATION_REASONS[code] ?? 'The store cannot make it');
        return orders.requestCancellation(orderId, { code, reason: text, mode: 'MANUAL' });
      }
      case 'denyCancellation':
        return expected.stage === 'DISPATCHED'
          ? orders.denyCancellation(orderId, { code: 'OUT_FOR_DELIVERY', reason: 'It is on its way' })
          : orders.denyCancellation(orderId, { code: 'DISH_ALREADY_DONE', reason: 'It is made already' });
      default:
        return orders[command](orderId);
    }
  }
}

function describe(command: CommandName, error: unknown): string {
  const { label } = COMMANDS[command];
  const message = error instanceof Error ? error.message : String(error);
  // No answer came, or an unclear one: claiming either would be a guess.
  if (isHubError(error) && error.outcome === 'unknown') {
    return `It is not known whether the hub carried out "${label}" (${message}). Its next event tells.`;
  }
  return `"${label}" was not carried out: ${message}`;
}
