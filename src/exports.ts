/** What the main entry exports on every platform; `index.ts` and `edge.ts` add the rest. */
export type { HubEvents } from './auth/account.js';
export type { Auth, Token, TokenEvents } from './auth/auth.js';
export { HubClient } from './client.js';
export { type Closable, type CloseOnSignalOptions, closeOnSignal } from './engine/close-on-signal.js';
export {
  type HealthSource,
  livenessHandler,
  type ProbeHandler,
  readinessHandler,
} from './engine/health-handlers.js';
export type { PolledEvent } from './engine/iterate.js';
export type {
  DeadLetter,
  HubEventListener,
  HubEventName,
  LifecycleEvents,
  PollerError,
  PollerEventName,
  PollerListener,
  PollerListeners,
} from './engine/lifecycle-events.js';
export type { PollerOptions, RetryDelay } from './engine/options.js';
export type { EventPoller } from './engine/poller.js';
export {
  type NodeRequest,
  type NodeResponse,
  nodeHandler,
  type PushReceiver,
} from './engine/push/node-handler.js';
export type {
  CompletedCycle,
  ContextOf,
  CycleReport,
  ErrorContext,
  EventContext,
  InboxContext,
  ListenerError,
  PollerHealth,
  SkippedCycle,
  StopReport,
} from './engine/reports.js';
export {
  ApiError,
  type ApiErrorOptions,
  AuthenticationError,
  BadRequestError,
  ClosedError,
  ConnectionError,
  HubError,
  type HubErrorOptions,
  InvalidResponseError,
  LeaseLostError,
  NotFoundError,
  PushRefusedError,
  RateLimitError,
  ResponseTooLargeError,
  ServerError,
  StateError,
  type TimedOperation,
  TimeoutError,
  UnexpectedStatusError,
} from './errors/index.js';
export type {
  AcknowledgeableEvent,
  AcknowledgeOptions,
  AcknowledgeResult,
  EventsClient,
  PollOptions,
  VerifyOptions,
} from './events/client.js';
export type { PollResult } from './events/read.js';
export { HubFleet } from './fleet/fleet.js';
export type {
  FleetContextOf,
  FleetEventContext,
  FleetHubEventListener,
  FleetListener,
  FleetListeners,
  StoreContext,
} from './fleet/fleet-events.js';
export type { FailingListeners, FleetHealth } from './fleet/fleet-health.js';
export type { HubFleetOptions, Shard } from './fleet/fleet-options.js';
export type { FleetStore, StoreList, StoreSource } from './fleet/fleet-store.js';
export type { TrafficEvents } from './http/call.js';
export type { CallOptions, RetryOptions } from './http/call-options.js';
export type { Fetch, FetchInit, FetchResponse } from './http/fetch.js';
export type { AppInfo } from './http/request.js';
export type { AnyDispatcher } from './http/undici.js';
export { ENDPOINTS, type Endpoint, type EndpointName } from './hub/endpoints.js';
export type {
  CommandProfile,
  FlaggedCommand,
  HostLimit,
  HostProfile,
  RequestSigner,
  RequestToSign,
  StatusMeaning,
  TokenFieldNames,
  TokenRequestProfile,
  WebhookProfile,
} from './hub/profile.js';
export type {
  CommandHistory,
  CommandStatus,
  Commit,
  DeadEvent,
  EventHistory,
  Inbox,
  InboxStats,
  OrderHistory,
  Outbox,
  RedriveRequest,
  StoredStatus,
} from './inbox/inbox.js';
export * from './menu.js';
export type { MerchantSnapshot } from './merchant/cached-menu.js';
export type { MerchantClient } from './merchant/client.js';
export type { MerchantEvents, MerchantOptions } from './merchant/merchant-options.js';
export type {
  AcknowledgeTrace,
  ListenerTrace,
  PollTrace,
  RequestTrace,
  ServerTrace,
  TokenTrace,
  Traces,
} from './observe/channels.js';
export type { FieldsFirstLogger, Logger } from './observe/logger.js';
export type { Trace } from './observe/operation.js';
export type { Secret } from './options/checks.js';
export type { HubClientOptions, MaxResponseBytes, RateLimitOptions } from './options/client-options.js';
export type {
  CancellationDenial,
  CancellationRequest,
  CodeValidation,
  CommandResult,
  OrderConfirmation,
  OrderDetailsUpdate,
  OrderStatusCommand,
} from './orders/commands.js';
export type { Orders } from './orders/orders.js';
export type {
  CourierLocation,
  DeliveryEta,
  DeliveryEvent,
  DeliveryPerson,
  DeliveryProblem,
  DeliveryReport,
  DeliveryVehicle,
  DispatchEventType,
  OrderDispatch,
  OrderTracking,
  TrackingEta,
  TrackingEventType,
} from './orders/tracking.js';
export type {
  CancellationEvent,
  CancellationEventType,
  CancellationProgress,
} from './progress/cancellation.js';
export type { NextCommandsOptions } from './progress/command-options.js';
export { type CommandedOrder, type NextCommand, nextCommands } from './progress/next-commands.js';
export { orderProgress, type ProgressEvent } from './progress/order-progress.js';
export type { OrderPosition, OrderProgress } from './progress/read-progress.js';
export type { Patience } from './quota/request.js';
export type { RateLimitStatus } from './quota/window.js';
export type { IssueCode } from './reading/issue-collector.js';
export type * from './schemas/documents.js';
export type { OrderStage } from './schemas/event-types.js';
export { EVENT_TYPES, type EventType, type KnownEventType } from './schemas/event-types.js';
export type { StandardIssue, StandardResult, StandardSchema } from './schemas/standard-schema.js';
export { memoryState } from './state/memory-state.js';
export type {
  Lease,
  LeaseRequest,
  Mark,
  MarkChange,
  MaybePromise,
  RecallRequest,
  Reservation,
  ReservationRequest,
  SetOptions,
  Settlement,
  State,
} from './state/port.js';
export { type Clock, type Moment, systemClock } from './time/clock.js';
