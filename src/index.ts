/**
 * The client of an OpenDelivery hub: `HubClient`, the menu, states, errors, schemas and all types.
 *
 * @module opendelivery-client
 */
export type { Auth, Token, TokenEvents } from './auth/token-manager.js';
export { HubClient, type HubEvents } from './client.js';
export { type Clock, systemClock } from './clock.js';
export { ENDPOINTS, type Endpoint, type EndpointName } from './endpoints.js';
export {
  type AnyHubError,
  ApiError,
  type ApiErrorOptions,
  AuthenticationError,
  BadRequestError,
  CartError,
  type CartFault,
  type CartFaultCode,
  ClosedError,
  ConfigurationError,
  ConnectionError,
  HubError,
  type HubErrorOptions,
  InvalidResponseError,
  type Issue,
  isHubError,
  LeaseLostError,
  NotFoundError,
  RateLimitError,
  ResponseTooLargeError,
  ServerError,
  StateError,
  TimeoutError,
  UnexpectedStatusError,
} from './errors.js';
export type {
  AcknowledgeableEvent,
  AcknowledgeOptions,
  AcknowledgeResult,
  EventsClient,
  PollOptions,
} from './events/client.js';
export type { EventPoller } from './events/poller.js';
export type {
  CompletedCycle,
  CycleReport,
  DeadLetter,
  EventContext,
  HubEventListener,
  HubEventName,
  LifecycleEvents,
  PollerError,
  PollerEventName,
  PollerHealth,
  PollerListener,
  PollerListeners,
  SkippedCycle,
  StopReport,
} from './events/poller-events.js';
export type { PollerOptions } from './events/poller-options.js';
export type { PollResult } from './events/read.js';
export type { TrafficEvents } from './http/call.js';
export type { CallOptions } from './http/call-options.js';
export type { AnyDispatcher } from './http/dispatchers.js';
export type { Fetch, FetchInit, FetchResponse } from './http/fetch.js';
export type { RateLimitStatus } from './http/lane.js';
export type { RetryOptions } from './http/retry.js';
export type { LeaseKeeper, Patience } from './http/slot-queue.js';
export type { AppInfo } from './http/user-agent.js';
export type { FieldsFirstLogger, Logger } from './logger.js';
export type { Unavailability } from './menu/availability.js';
export type { DeliveryOptions, DeliveryQuote } from './menu/delivery.js';
export type { Coordinates } from './menu/geometry.js';
export type { MenuIssueCode } from './menu/lint.js';
export { Menu, type MenuOptions } from './menu/menu.js';
export type { Money } from './menu/money.js';
export type { Price, PriceLine } from './menu/price.js';
export type {
  EntryKind,
  ResolvedCategory,
  ResolvedEntry,
  ResolvedItem,
  ResolvedKinds,
  ResolvedMenu,
  ResolvedOffer,
  ResolvedOption,
  ResolvedOptionGroup,
  ResolvedService,
} from './menu/resolved.js';
export type { CartRequest, OfferSelection, OptionSelection, PriceRequest } from './menu/selection.js';
export type { Instant } from './menu/zone.js';
export type { MerchantSnapshot } from './merchant/cached-menu.js';
export type { MerchantClient, MerchantEvents, MerchantOptions } from './merchant/client.js';
export {
  type ChangedEntry,
  type CollectionChanges,
  diffMerchants,
  type MerchantChanges,
} from './merchant/diff.js';
export type { HubClientOptions, MaxResponseBytes, RateLimitOptions } from './options.js';
export type {
  CancellationDenial,
  CancellationRequest,
  OrderConfirmation,
  OrderDispatch,
  OrderStatusCommand,
} from './orders/commands.js';
export type { Orders } from './orders.js';
export type { IssueCode } from './reading/issue-collector.js';
export type { CollectionEntry, CollectionName } from './schemas/collections.js';
export {
  type AnyOrderEvent,
  type CancellationMetadata,
  EVENT_TYPES,
  type EventMetadata,
  type EventType,
  eventSchema,
  type KnownEventType,
  type OrderEvent,
} from './schemas/event.js';
export {
  type Availability,
  availabilitySchema,
  type BasicInfo,
  basicInfoSchema,
  type Category,
  categorySchema,
  type Item,
  type ItemOffer,
  itemOfferSchema,
  itemSchema,
  type MenuEntry,
  type Merchant,
  menuSchema,
  merchantSchema,
  type Option,
  type OptionGroup,
  optionGroupSchema,
  optionSchema,
  type Service,
  serviceAreaSchema,
  serviceHoursSchema,
  serviceSchema,
} from './schemas/merchant.js';
export { type Order, orderSchema } from './schemas/order.js';
export type { StandardIssue, StandardResult, StandardSchema } from './schemas/standard-schema.js';
export { type TokenResponse, tokenResponseSchema } from './schemas/token.js';
export type { DeepReadonly } from './schemas/wire.js';
export type { Secret } from './secrets/secret.js';
export { type FileState, fileState } from './state/file/file-state.js';
export { memoryState } from './state/memory-state.js';
export type {
  Lease,
  LeaseRequest,
  MarkLifetimes,
  MaybePromise,
  Reservation,
  ReservationRequest,
  State,
} from './state/port.js';
