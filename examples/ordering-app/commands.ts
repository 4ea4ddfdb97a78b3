import { type HubClient, isHubError } from 'opendelivery-client';
import type { OrderBook, SavedOrder } from './order-book.js';
import { COMMANDS, type CommandName } from './progress.js';

/** The hub's codes for a cancellation by the store, and texts for people. */
export const CANCELLATION_REASONS: Readonly<Record<string, string>> = {
  UNAVAILABLE_ITEM: 'An item is not available',
  INTERNAL_DIFFICULTIES_OF_THE_RESTAURANT: 'The kitchen has a problem',
  ORDER_OUTSIDE_THE_DELIVERY_AREA: 'Outside the delivery area',
};

/** Why the store requests a cancellation. */
export interface Reason {
  /** A key of `CANCELLATION_REASONS`. */
  readonly code?: string | undefined;
  /** Replaces the text of the code. */
  readonly comment?: string | undefined;
}

/** Sends commands to the hub, one per click, and saves the result. */
export class Commands {
  readonly #hub: HubClient;
  readonly #orders: OrderBook;
  readonly #running = new Set<Promise<boolean>>();

  constructor(hub: HubClient, orders: OrderBook) {
    this.#hub = hub;
    this.#orders = orders;
  }

  /** Returns false, and sends nothing, if the command is not possible or a command is already running. */
  run(orderId: string, command: CommandName, reason?: Reason): Promise<boolean> {
    const run = this.#run(orderId, command, reason);
    this.#running.add(run);
    return run.finally(() => this.#running.delete(run));
  }

  /** Resolves when the results of all running commands are saved. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#running);
  }

  async #run(orderId: string, command: CommandName, reason?: Reason): Promise<boolean> {
    const order = this.#orders.startCommand(orderId, command);
    if (!order) return false;
    const problem = await this.#send(order, command, reason).then(
      () => null,
      (error: unknown) => describeProblem(command, error),
    );
    this.#orders.finishCommand(orderId, problem);
    return true;
  }

  #send(
    { orderId, details, expected }: SavedOrder,
    command: CommandName,
    reason: Reason = {},
  ): Promise<void> {
    const { orders } = this.#hub;
    switch (command) {
      case 'confirm':
        return orders.confirm(orderId, { orderExternalCode: details.displayId ?? orderId });
      case 'requestCancellation': {
        const { code = '', comment } = reason;
        const text = comment?.trim() || (CANCELLATION_REASONS[code] ?? 'The store cannot prepare the order');
        return orders.requestCancellation(orderId, { code, reason: text, mode: 'MANUAL' });
      }
      case 'denyCancellation':
        return expected.stage === 'DISPATCHED'
          ? orders.denyCancellation(orderId, { code: 'OUT_FOR_DELIVERY', reason: 'The order is on its way' })
          : orders.denyCancellation(orderId, { code: 'DISH_ALREADY_DONE', reason: 'The order is prepared' });
      default:
        return orders[command](orderId);
    }
  }
}

function describeProblem(command: CommandName, error: unknown): string {
  const { label } = COMMANDS[command];
  const message = error instanceof Error ? error.message : String(error);
  // There was no usable response: the hub may or may not have processed the command.
  if (isHubError(error) && error.outcome === 'unknown') {
    return `It is unknown whether the hub processed "${label}" (${message}). The next event will show it.`;
  }
  return `"${label}" failed: ${message}`;
}
