/**
 * A mock hub and clocks for the tests of applications.
 *
 * @module opendelivery-client/testing
 */
export type { Clock } from '../time/clock.js';
export { createMockHub } from './create-mock-hub.js';
export type { Duration } from './duration.js';
export { playEvening } from './evening.js';
export type { Fault, FaultLike, SimpleFault, StatusFault } from './fault.js';
export type { Faults, RandomFaults } from './faults.js';
export type { Json, JsonValue } from './fixtures.js';
export type { MswHandlers } from './handlers.js';
export { type InboxContractCase, inboxContract } from './inbox-contract/inbox-contract.js';
export type { OpenedInbox } from './inbox-contract/scene.js';
export type { JournalEntry } from './journal.js';
export type { ListenOptions } from './listen-options.js';
export { ManualClock } from './manual-clock.js';
export type { MerchantChange, MockHub, NewEvent, NewOrder } from './mock-hub.js';
export type { AcknowledgedEvent, HubEvent, NewStore, StoreCredentials } from './mock-store.js';
export type { MockHubOptions, MockHubSwitches } from './options.js';
export type { GivenOrderTiming, GivenOrderType } from './orders.js';
export type { PushDelivery, Pushing, PushOptions, PushTarget } from './push.js';
export type {
  RecordedCommand,
  RecordedDocument,
  RecordedEvent,
  RecordedOrder,
  Recording,
} from './recording.js';
export type { Violation } from './rules.js';
export { scaledClock } from './scaled-clock.js';
export type { ListeningHub } from './server.js';
export type { OpenedState } from './state-contract/checked-state.js';
export { type OpenState, type StateContractCase, stateContract } from './state-contract/state-contract.js';
