/**
 * The mock hub and its clocks, for the tests of applications.
 *
 * @module opendelivery-client/testing
 */
export type { Clock } from '../clock.js';
export { type Duration, ManualClock, scaledClock } from './clocks.js';
export {
  createMockHub,
  type ListenOptions,
  type MerchantChange,
  type MockHub,
  type NewEvent,
  type NewOrder,
} from './create-mock-hub.js';
export { playEvening } from './evening.js';
export type { Fault, FaultLike, Faults, RandomFaults, SimpleFault, StatusFault } from './faults.js';
export type { Json, JsonValue } from './fixtures.js';
export type { MswHandlers } from './handlers.js';
export type { JournalEntry } from './journal.js';
export type { MockHubOptions, MockHubSwitches } from './options.js';
export type { Violation } from './rules.js';
export type { ListeningHub } from './server.js';
export type { AcknowledgedEvent, HubEvent, NewStore, StoreCredentials } from './store.js';
