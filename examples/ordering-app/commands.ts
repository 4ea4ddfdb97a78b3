import { type HubClient, isHubError, type NextCommand } from 'opendelivery-client';
import { expectedPosition } from './expected.js';
import type { OrderBook, SavedOrder } from './order-book.js';
import { CANCELLATION_REASONS, COMMAND_NAMES } from './texts.js';

/** Why the store requests or denies a cancellation. */
export interface Reason {
  /** A code of the standard; the page offers those of `CANCELLATION_REASONS`. */
  readonly code?: string | undefined;
  /** Replaces the text of the code. */
  readonly comment?: string | undefined;
  /** Whether the hub may cancel without asking a person; default MANUAL. */
  readonly mode?: string | undefined;
}

/** Sends commands to the hub, one per click, and saves the result. */
export class Commands {
  readonly #hub: HubClient;
  readonly #orders: OrderBook;
  readonly #now: () => number;
  readonly #running = new Set<Promise<boolean>>();

  /** @param now - epoch ms on the hub's clock; default: this machine's. */
  constructor(hub: HubClient, orders: OrderBook, now: () => number = Date.now) {
    this.#hub = hub;
    this.#orders = orders;
    this.#now = now;
  }

  /** Returns false, and sends nothing, if the command is not possible or a command is already running. */
  run(orderId: string, command: NextCommand, reason?: Reason): Promise<boolean> {
    const run = this.#run(orderId, command, reason);
    this.#running.add(run);
    return run.finally(() => this.#running.delete(run));
  }

  /** Resolves when the results of all running commands are saved. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#running);
  }

  async #run(orderId: string, command: NextCommand, reason?: Reason): Promise<boolean> {
    const order = this.#orders.startCommand(orderId, command, this.#now());
    if (!order) return false;
    const problem = await this.#send(order, command, reason).then(
      () => null,
      (error: unknown) => describeProblem(command, error),
    );
    this.#orders.finishCommand(orderId, problem, this.#now());
    return true;
  }

  #send(order: SavedOrder, command: NextCommand, reason: Reason = {}): Promise<unknown> {
    const { orderId, progress, accepted } = order;
    const { orders } = this.#hub;
    switch (command) {
      case 'confirm':
        return orders.confirm(orderId, confirmation(order));
      case 'requestCancellation': {
        const { code = '', comment, mode = 'MANUAL' } = reason;
        const text = comment?.trim() || (CANCELLATION_REASONS[code] ?? 'A loja não pode preparar o pedido');
        return orders.requestCancellation(orderId, { code, reason: text, mode });
      }
      case 'denyCancellation': {
        const isOut = expectedPosition(progress, accepted).stage === 'DISPATCHED';
        const code = reason.code || (isOut ? 'OUT_FOR_DELIVERY' : 'DISH_ALREADY_DONE');
        const text = reason.comment || (isOut ? 'O pedido já saiu para entrega' : 'O pedido já está pronto');
        return orders.denyCancellation(orderId, { code, reason: text });
      }
      default:
        return orders[command](orderId);
    }
  }
}

/** What the store tells the hub when it confirms an order. */
export const confirmation = ({ orderId, details }: SavedOrder) => ({
  orderExternalCode: details.displayId ?? orderId,
});

/** Why a command failed, as a sentence for people. */
export function describeProblem(command: NextCommand, error: unknown): string {
  const name = COMMAND_NAMES[command];
  const message = error instanceof Error ? error.message : String(error);
  // There was no usable response: the hub may or may not have processed the command.
  if (isHubError(error) && error.outcome === 'unknown') {
    return `Não se sabe se o hub processou “${name}” (${message}). O próximo evento vai mostrar.`;
  }
  return `“${name}” falhou: ${message}`;
}
