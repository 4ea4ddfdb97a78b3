import { BadRequestError, ConfigurationError, type Issue } from '../errors/index.js';
import type { Call } from '../http/call.js';
import { type CallOptions, checkCallOptions } from '../http/call-options.js';
import type { Order } from '../schemas/order.js';
import type { StandardSchema } from '../schemas/standard-schema.js';
import { isThere, requireNoPage } from './already-there.js';
import type {
  CancellationDenial,
  CancellationRequest,
  CodeValidation,
  CommandResult,
  OrderConfirmation,
  OrderDetailsUpdate,
  OrderStatusCommand,
} from './commands.js';
import { checkOrderOptions, type GetOrderOptions, readLeniently, readWithSchema } from './read.js';
import { commandParameters, jsonBody, orderParameters, pathSegment, requireObject } from './request.js';
import type { OrderDispatch, OrderTracking } from './tracking.js';

interface OrdersOptions {
  readonly send: <T>(call: Call<T>) => Promise<T>;
  /** Wall time in epoch ms. */
  readonly now: () => number;
  /** Masks secrets in a key of a document, and cuts it. */
  readonly quote: (text: string) => string;
}

/**
 * Reads orders and sends commands that change their status (Spec §4.5).
 *
 * The bodies are those of the standard v1.7.1, because the spec does not show any.
 *
 * A command is sent again only if it provably did not reach the hub, or was
 * refused with 401 or 429. If it may have reached the hub and the hub did not refuse it (a 4xx other than 408 and 499),
 * the error has `outcome: 'unknown'`: the hub may have carried out the command. Read the order, or wait for its next
 * event, before you send the command again.
 *
 * If the hub refuses a command with 422, the client reads the order. If its `lastEvent` is the event of the command, or a
 * later stage, the call resolves to `{ alreadyThere: true }`; otherwise it rejects. So a command may be sent twice.
 * `confirm` resolves also if `lastEvent` is the other side's request to cancel the order, or a denial.
 *
 * If the signal of a call aborts, the call rejects with the signal's reason; a command that was sent and not answered
 * rejects with an error of unknown outcome, whose `cause` is the reason.
 */
export class Orders {
  readonly #options: OrdersOptions;

  /** @internal */
  constructor(options: OrdersOptions) {
    this.#options = options;
  }

  /**
   * Fetches one order and reads it leniently, as the standard v1.7.1 defines it. `issues` lists every deviation, also
   * what its type requires and sums that do not add up. An order of version 2 of the standard has the one issue
   * `other_version` in the place of all that version 1 would require of it. With `schema` (zod, valibot, arktype: any
   * Standard Schema), `order` is what that schema returns.
   *
   * @throws {NotFoundError} the hub does not know the order.
   * @throws {InvalidResponseError} the response is not an order, or your schema refused it.
   * @see Spec §4.5, §2.12
   */
  get(orderId: string, options?: CallOptions): Promise<{ order: Order; issues: readonly Issue[] }>;
  get<Output>(
    orderId: string,
    options: CallOptions & { readonly schema: StandardSchema<Output> },
  ): Promise<{ order: Output; issues: readonly Issue[] }>;
  async get(
    orderId: string,
    options: GetOrderOptions = {},
  ): Promise<{ order: unknown; issues: readonly Issue[] }> {
    const { schema, ...limits } = checkOrderOptions(options);
    if (schema !== undefined && typeof schema?.['~standard']?.validate !== 'function') {
      throw new ConfigurationError(
        'schema',
        'must be a Standard Schema: a schema of zod, valibot, arktype, …',
      );
    }
    return this.#options.send({
      endpoint: 'order',
      parameters: orderParameters(orderId),
      ...limits,
      read: (response) =>
        schema ? readWithSchema(schema, response, this.#options.quote) : readLeniently(response),
    });
  }

  /**
   * Sends any command. The methods below send the commands of the standard.
   *
   * It resolves when the hub has accepted the command. An event follows when the
   * order has changed.
   *
   * @param status - the command as the hub names it, the last segment of the path.
   * @throws {UnexpectedStatusError} 422: the order's current state does not allow the command.
   * @throws {HubError} with `outcome: 'unknown'`: read the order before you send the command again.
   * @see Spec §4.5
   */
  async updateStatus(
    orderId: string,
    status: OrderStatusCommand,
    body?: object,
    options: CallOptions = {},
  ): Promise<CommandResult> {
    const limits = checkCallOptions(options);
    const parameters = commandParameters(orderId, status);
    try {
      await this.#command({ parameters, ...(body !== undefined && jsonBody(body)), ...limits });
      return { alreadyThere: false };
    } catch (error) {
      const read = async () => (await this.get(orderId, limits)).order;
      if (!(await isThere(status, error, read, limits.signal))) throw error;
      return { alreadyThere: true };
    }
  }

  #command(call: Omit<Call<void>, 'endpoint' | 'read'>): Promise<void> {
    return this.#options.send({ endpoint: 'orderStatus', ...call, read: requireNoPage });
  }

  /**
   * Accepts a new order. The event CONFIRMED follows.
   *
   * @param body - `createdAt` and `orderExternalCode`, which the standard requires, are filled in if missing.
   */
  async confirm(
    orderId: string,
    body: OrderConfirmation = {},
    options?: CallOptions,
  ): Promise<CommandResult> {
    requireObject(body);
    const complete = {
      ...body,
      createdAt: body.createdAt ?? new Date(this.#options.now()).toISOString(),
      orderExternalCode: body.orderExternalCode ?? orderId,
    };
    return this.updateStatus(orderId, 'confirm', complete, options);
  }

  /** Reports that the preparation of the order has begun. The event PREPARING follows. */
  preparing(orderId: string, options?: CallOptions): Promise<CommandResult> {
    return this.updateStatus(orderId, 'preparing', undefined, options);
  }

  /** Reports that the order is ready to be picked up. The event READY_FOR_PICKUP follows. */
  readyForPickup(orderId: string, options?: CallOptions): Promise<CommandResult> {
    return this.updateStatus(orderId, 'readyForPickup', undefined, options);
  }

  /** Reports that a delivery order has left the store. The event DISPATCHED follows. */
  dispatch(orderId: string, body?: OrderDispatch, options?: CallOptions): Promise<CommandResult> {
    return this.updateStatus(orderId, 'dispatch', body, options);
  }

  /** Reports that the order was picked up. The event PICKED_UP follows. */
  pickedUp(orderId: string, options?: CallOptions): Promise<CommandResult> {
    return this.updateStatus(orderId, 'pickedUp', undefined, options);
  }

  /** Reports that the customer has received the order. The event DELIVERED follows. */
  delivered(orderId: string, options?: CallOptions): Promise<CommandResult> {
    return this.updateStatus(orderId, 'delivered', undefined, options);
  }

  /**
   * Requests the cancellation of an order. The event CANCELLATION_REQUESTED
   * follows, then the hub's decision: CANCELLED or CANCELLATION_REQUEST_DENIED.
   */
  requestCancellation(
    orderId: string,
    body: CancellationRequest,
    options?: CallOptions,
  ): Promise<CommandResult> {
    return this.updateStatus(orderId, 'requestCancellation', body, options);
  }

  /** Accepts the hub's ORDER_CANCELLATION_REQUEST. The event CANCELLED follows. */
  acceptCancellation(orderId: string, options?: CallOptions): Promise<CommandResult> {
    return this.updateStatus(orderId, 'acceptCancellation', undefined, options);
  }

  /** Denies the hub's ORDER_CANCELLATION_REQUEST. The event CANCELLED_DENIED follows. */
  denyCancellation(orderId: string, body: CancellationDenial, options?: CallOptions): Promise<CommandResult> {
    return this.updateStatus(orderId, 'denyCancellation', body, options);
  }

  /**
   * Reports on a delivery by the store: where the courier is, a problem, the time of arrival. No event
   * follows. The hub waits for it if the order has `sendTracking`.
   */
  tracking(orderId: string, body: OrderTracking, options?: CallOptions): Promise<CommandResult> {
    return this.updateStatus(orderId, 'tracking', body, options);
  }

  /**
   * Asks the hub whether a code that the customer has given to the courier is the code of the order. The
   * hub decides at once, and no event follows.
   *
   * @param deliveryCode - as the customer has given it.
   */
  async validateCode(
    orderId: string,
    deliveryCode: string,
    options: CallOptions = {},
  ): Promise<CodeValidation> {
    const limits = checkCallOptions(options);
    const query = `deliveryCode=${pathSegment('deliveryCode', deliveryCode)}`;
    const parameters = commandParameters(orderId, 'validateCode');
    try {
      await this.#command({ parameters, query, ...limits });
      return { valid: true };
    } catch (error) {
      if (!(error instanceof BadRequestError)) throw error;
      return { valid: false, reason: error.title ?? 'the hub gives no reason' };
    }
  }

  /**
   * Changes details of an order that do not affect its status. No event follows. In the standard it is
   * optional: a hub without it responds with 404.
   */
  async details(
    orderId: string,
    body: OrderDetailsUpdate,
    options: CallOptions = {},
  ): Promise<CommandResult> {
    const limits = checkCallOptions(options);
    await this.#command({
      method: 'PATCH',
      parameters: commandParameters(orderId, 'details'),
      ...jsonBody(body),
      ...limits,
    });
    return { alreadyThere: false };
  }
}
