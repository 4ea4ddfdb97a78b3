import { ConfigurationError, InvalidResponseError, type Issue } from './errors.js';
import type { Call } from './http/call.js';
import { type CallOptions, resolveCallOptions } from './http/call-options.js';
import { type HubResponse, readJson, scrubIssues } from './http/response.js';
import { lenientReader } from './reading/lenient.js';
import { type Order, orderSchema } from './schemas/order.js';
import type { StandardSchema } from './schemas/standard-schema.js';

/** `{status}` of the status endpoint as the standard names them; hubs may know more. */
export type OrderStatusCommand =
  | 'confirm'
  | 'preparing'
  | 'readyForPickup'
  | 'dispatch'
  | 'pickedUp'
  | 'delivered'
  | 'requestCancellation'
  | 'acceptCancellation'
  | 'denyCancellation'
  | (string & {});

/** Body of `confirm` in the standard, which requires `createdAt` and `orderExternalCode`. */
export interface OrderConfirmation {
  readonly reason?: string;
  /**
   * When the order was created, as an ISO 8601 date-time: the standard's text means the order's own `createdAt`,
   * and `orders.get` returns it. Default: the time of this call by the client's clock.
   */
  readonly createdAt?: string;
  /** The order's id in your system. Default: `orderId`. */
  readonly orderExternalCode?: string;
  /** Minutes. */
  readonly preparationTime?: number;
}

/** Body of `dispatch` in the standard. */
export interface OrderDispatch {
  readonly deliveryTrackingInfo?: Readonly<Record<string, unknown>>;
}

/** Body of `requestCancellation` in the standard. */
export interface CancellationRequest {
  readonly reason: string;
  readonly code:
    | 'SYSTEMIC_ISSUES'
    | 'DUPLICATE_APPLICATION'
    | 'UNAVAILABLE_ITEM'
    | 'RESTAURANT_WITHOUT_DELIVERY_PERSON'
    | 'OUTDATED_MENU'
    | 'ORDER_OUTSIDE_THE_DELIVERY_AREA'
    | 'BLOCKED_CUSTOMER'
    | 'OUTSIDE_DELIVERY_HOURS'
    | 'INTERNAL_DIFFICULTIES_OF_THE_RESTAURANT'
    | 'RISK_AREA'
    | 'DELIVERY_PROBLEM'
    | (string & {});
  readonly mode: 'AUTO' | 'MANUAL' | (string & {});
  readonly outOfStockItems?: readonly string[];
  readonly invalidItems?: readonly string[];
}

/** Body of `denyCancellation` in the standard. */
export interface CancellationDenial {
  readonly reason: string;
  readonly code: 'DISH_ALREADY_DONE' | 'OUT_FOR_DELIVERY' | (string & {});
}

export interface OrdersOptions {
  readonly send: <T>(call: Call<T>) => Promise<T>;
  /** Epoch ms. */
  readonly now: () => number;
}

const readOrder = lenientReader(orderSchema, ['id', 'displayId', 'items', 'total']);

/**
 * Reads orders and moves them on (Spec §4.5).
 *
 * A command is sent again only when it provably never reached the hub, or was
 * refused with 401 or 429. Any other failure carries `outcome: 'unknown'`: the
 * order may have moved, and `get` or the next event tells.
 */
export class Orders {
  readonly #send: OrdersOptions['send'];
  readonly #now: OrdersOptions['now'];

  constructor({ send, now }: OrdersOptions) {
    this.#send = send;
    this.#now = now;
  }

  /**
   * One order, read leniently against the standard's v1.7.0, or by a schema of
   * yours (zod, valibot, arktype: any Standard Schema).
   *
   * @throws {NotFoundError} the hub does not know the order.
   * @throws {InvalidResponseError} the answer is no order, or your schema refused it.
   * @see Spec §4.5, §2.12
   */
  get(orderId: string, options?: CallOptions): Promise<{ order: Order; issues: readonly Issue[] }>;
  get<Output>(
    orderId: string,
    options: CallOptions & { readonly schema: StandardSchema<Output> },
  ): Promise<{ order: Output; issues: readonly Issue[] }>;
  async get(
    orderId: string,
    options: CallOptions & { readonly schema?: StandardSchema<unknown> } = {},
  ): Promise<{ order: unknown; issues: readonly Issue[] }> {
    const { schema, ...limits } = resolveCallOptions(options, 'schema');
    if (schema !== undefined && typeof schema?.['~standard']?.validate !== 'function') {
      throw new ConfigurationError(
        'schema',
        'must be a Standard Schema: a schema of zod, valibot, arktype, …',
      );
    }
    return this.#send({
      endpoint: 'order',
      path: `/v1/orders/${segment('orderId', orderId)}`,
      ...limits,
      read: (answer) => (schema ? readWith(schema, answer) : readLeniently(answer)),
    });
  }

  /**
   * Sends a command for an order, `status` as the hub names it.
   *
   * Resolved means that the hub took it; the event that follows says that the
   * order moved.
   *
   * @throws {UnexpectedStatusError} 422: not possible in the order's present state.
   * @throws {HubError} any other failure but 400, 401, 403, 404 and 429 has `outcome: 'unknown'`: read the order
   * before you send the command again.
   * @see Spec §4.5
   */
  async updateStatus(
    orderId: string,
    status: OrderStatusCommand,
    body?: object,
    options: CallOptions = {},
  ): Promise<void> {
    const limits = resolveCallOptions(options);
    const path = `/v1/orders/${segment('orderId', orderId)}/${segment('status', status)}`;
    const json = body === undefined ? undefined : serialize(body);
    await this.#send({
      endpoint: 'orderStatus',
      path,
      ...(json !== undefined && { body: json, contentType: 'application/json' }),
      ...limits,
      read: () => undefined,
    });
  }

  /** Accepts the order; leads to CONFIRMED. What the standard requires in the body is filled in. */
  async confirm(orderId: string, body: OrderConfirmation = {}, options?: CallOptions): Promise<void> {
    requireObject(body);
    const complete = {
      ...body,
      createdAt: body.createdAt ?? new Date(this.#now()).toISOString(),
      orderExternalCode: body.orderExternalCode ?? orderId,
    };
    return this.updateStatus(orderId, 'confirm', complete, options);
  }

  /** The kitchen has begun; leads to PREPARING. */
  preparing(orderId: string, options?: CallOptions): Promise<void> {
    return this.updateStatus(orderId, 'preparing', undefined, options);
  }

  /** Ready to be picked up; leads to READY_FOR_PICKUP. */
  readyForPickup(orderId: string, options?: CallOptions): Promise<void> {
    return this.updateStatus(orderId, 'readyForPickup', undefined, options);
  }

  /** On its way; leads to DISPATCHED. */
  dispatch(orderId: string, body?: OrderDispatch, options?: CallOptions): Promise<void> {
    return this.updateStatus(orderId, 'dispatch', body, options);
  }

  /** Picked up; leads to PICKED_UP. */
  pickedUp(orderId: string, options?: CallOptions): Promise<void> {
    return this.updateStatus(orderId, 'pickedUp', undefined, options);
  }

  /** Handed to the customer; leads to DELIVERED. */
  delivered(orderId: string, options?: CallOptions): Promise<void> {
    return this.updateStatus(orderId, 'delivered', undefined, options);
  }

  /** Asks to cancel; leads to CANCELLATION_REQUESTED, then CANCELLED or CANCELLATION_REQUEST_DENIED. */
  requestCancellation(orderId: string, body: CancellationRequest, options?: CallOptions): Promise<void> {
    return this.updateStatus(orderId, 'requestCancellation', body, options);
  }

  /** Agrees to an ORDER_CANCELLATION_REQUEST; leads to CANCELLED. */
  acceptCancellation(orderId: string, options?: CallOptions): Promise<void> {
    return this.updateStatus(orderId, 'acceptCancellation', undefined, options);
  }

  /** Refuses an ORDER_CANCELLATION_REQUEST; leads to CANCELLED_DENIED. */
  denyCancellation(orderId: string, body: CancellationDenial, options?: CallOptions): Promise<void> {
    return this.updateStatus(orderId, 'denyCancellation', body, options);
  }
}

function readLeniently(answer: HubResponse): { order: Order; issues: readonly Issue[] } {
  const reading = readOrder(readJson('order', answer));
  if (!reading.usable) {
    const issues = scrubIssues(reading.issues, answer.scrub);
    const [first] = issues;
    const why = first ? `: ${[first.path.join('.'), first.message].filter(Boolean).join(': ')}` : '';
    throw new InvalidResponseError('order', `the answer is not a usable order${why}`, { issues });
  }
  return { order: reading.value, issues: scrubIssues(reading.issues, answer.scrub) };
}

async function readWith(
  schema: StandardSchema<unknown>,
  answer: HubResponse,
): Promise<{ order: unknown; issues: readonly Issue[] }> {
  const result = await schema['~standard'].validate(readJson('order', answer));
  if (!result.issues) return { order: result.value, issues: [] };
  const issues = result.issues.map(({ path = [], message }) => ({
    path: path.map((key) => plainKey(typeof key === 'object' ? key.key : key, answer.scrub)),
    code: 'schema',
    message,
  }));
  throw new InvalidResponseError('order', `your schema refused the order: ${issues[0]?.message ?? ''}`, {
    issues,
  });
}

const plainKey = (key: PropertyKey, scrub: (text: string) => string) =>
  typeof key === 'number' ? key : scrub(String(key));

/** One segment of a path: nothing in it can leave its place. */
function segment(name: string, value: unknown): string {
  if (typeof value !== 'string' || value === '' || value === '.' || value === '..') {
    throw new ConfigurationError(name, 'must be a non-empty text; pass it as the event has it');
  }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (/[\u0000-\u001f\u007f]/.test(value)) throw new ConfigurationError(name, 'has control characters in it');
  try {
    return encodeURIComponent(value);
  } catch {
    throw new ConfigurationError(name, 'has half a character in it');
  }
}

function requireObject(body: unknown): void {
  if (typeof body !== 'object' || body === null) {
    throw new ConfigurationError('body', 'must be an object of JSON values');
  }
}

function serialize(body: object): string {
  requireObject(body);
  try {
    return JSON.stringify(body);
  } catch (cause) {
    throw new ConfigurationError(
      'body',
      `cannot be written as JSON: ${cause instanceof Error ? cause.message : ''}`,
    );
  }
}
