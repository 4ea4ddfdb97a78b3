import { setupServer } from 'msw/node';
import {
  ENDPOINTS,
  HubClient,
  type HubClientOptions,
  type HubEvents,
  type LifecycleEvents,
  type Logger,
} from 'opendelivery-client';
import {
  createMockHub,
  type JournalEntry,
  ManualClock,
  type MockHub,
  type MockHubOptions,
} from 'opendelivery-client/testing';
import { onTestFinished } from 'vitest';
import { HUB_EVENT_NAMES } from '../src/auth/account.js';
import { LIFECYCLE_NAMES } from '../src/engine/lifecycle-events.js';

/** The one MSW server of a worker; it listens only while a test uses it. */
const network = setupServer();
const intercepted = new Set<MockHub>();

/** Until the test ends, MSW brings requests to the mock hub, and fails those to any other place. */
export function intercept(mock: MockHub): void {
  if (intercepted.has(mock)) return;
  if (intercepted.size === 0) {
    network.listen({ onUnhandledRequest: 'error' });
    onTestFinished(() => {
      intercepted.clear();
      network.resetHandlers();
      network.close();
    });
  }
  // MSW would bring the requests of both to the later one.
  const isTaken = [...intercepted].some(({ baseUrl }) => baseUrl === mock.baseUrl);
  if (isTaken) throw new Error(`two mock hubs of this test have the baseUrl ${mock.baseUrl}`);
  intercepted.add(mock);
  network.use(...mock.handlers);
}

export interface Stage {
  readonly clock: ManualClock;
  readonly mock: MockHub;
  readonly hub: HubClient;
  /** What was logged as a warning or an error. */
  readonly log: string[];
}

/** A client and a mock hub on one manual clock, joined by MSW, closed when the test is over. */
export function stage(mockOptions: MockHubOptions = {}, options: Partial<HubClientOptions> = {}): Stage {
  const clock = new ManualClock();
  const baseUrl = `https://hub${intercepted.size > 0 ? intercepted.size + 1 : ''}.example`;
  const mock = createMockHub({ clock, baseUrl, ...mockOptions });
  return { clock, mock, ...clientOf(mock, { clock, ...options }) };
}

/** Another client of the mock hub's store. */
export function clientOf(
  mock: MockHub,
  options: Partial<HubClientOptions>,
): { hub: HubClient; log: string[] } {
  const log: string[] = [];
  const logger: Logger = {
    debug: () => {},
    info: () => {},
    warn: (message) => log.push(message),
    error: (message, fields) => log.push(`${message} ${String(Object.values(fields ?? {})[0] ?? '')}`),
  };
  const hasOwnTransport = ['fetch', 'dispatcher', 'baseUrl'].some((name) => name in options);
  if (!hasOwnTransport) intercept(mock);
  const hub = new HubClient({ baseUrl: mock.baseUrl, ...mock.credentials, logger, ...options });
  onTestFinished(async () => void (await hub.close({ timeoutMs: 0 })));
  return { hub, log };
}

/** The requests to one endpoint. */
export function requestsTo(mock: MockHub, endpoint: JournalEntry['endpoint']): JournalEntry[] {
  return mock.requests.filter((request) => request.endpoint === endpoint);
}

/** A promise and the means to settle it, for listeners a test holds open. */
export function gate<T = void>(): {
  promise: Promise<T>;
  open: (value: T) => void;
  fail: (error: unknown) => void;
} {
  let open: (value: T) => void = () => {};
  let fail: (error: unknown) => void = () => {};
  const promise = new Promise<T>((resolve, reject) => {
    open = resolve;
    fail = reject;
  });
  return { promise, open, fail };
}

/** The most requests of the list within any window of that length, counted where they arrived. */
export function densest(requests: readonly Pick<JournalEntry, 'monotonicAt'>[], windowMs: number): number {
  const times = requests.map(({ monotonicAt }) => monotonicAt).sort((a, b) => a - b);
  let most = 0;
  let from = 0;
  times.forEach((time, index) => {
    while ((times[from] as number) <= time - windowMs) from += 1;
    most = Math.max(most, index - from + 1);
  });
  return most;
}

/** The limits of Spec §8 that the requests of one store exceed, counted where they arrived. */
export function limitBreaches(requests: readonly JournalEntry[]): string[] {
  return Object.entries(ENDPOINTS).flatMap(([endpoint, { limit, windowMs }]) => {
    const ofEndpoint = requests.filter((request) => request.endpoint === endpoint);
    const most = densest(ofEndpoint, windowMs);
    return most > limit ? [`${most} requests to ${endpoint} in one window`] : [];
  });
}

/** Advances the clock, then awaits the promise. */
export async function afterAdvance<T>(
  clock: ManualClock,
  by: Parameters<ManualClock['advance']>[0],
  promise: Promise<T>,
): Promise<T> {
  await clock.advance(by);
  return promise;
}

/** What a promise has come to so far, once everything that needs no time has run. */
export async function settledNow<T>(
  clock: ManualClock,
  promise: Promise<T>,
): Promise<'pending' | { value: T } | { error: unknown }> {
  let outcome: 'pending' | { value: T } | { error: unknown } = 'pending';
  promise.then(
    (value) => {
      outcome = { value };
    },
    (error: unknown) => {
      outcome = { error };
    },
  );
  await clock.advance(0);
  return outcome;
}

/** What a call comes to, during this time has passed. */
export async function during<T>(clock: ManualClock, time: number | string, call: Promise<T>): Promise<T> {
  call.catch(() => {});
  await clock.advance(time as number);
  return call;
}

/** Records whether a promise has settled. */
export function watched(promise: Promise<unknown>): { done: boolean } {
  const seen = { done: false };
  const note = () => {
    seen.done = true;
  };
  promise.then(note, note);
  return seen;
}

/** A logger, and each line that it has logged, during its level. */
export function logged(): { lines: string[]; logger: Logger } {
  const lines: string[] = [];
  const log = (level: string) => (message: string) => void lines.push(`${level}: ${message}`);
  return {
    lines,
    logger: { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') },
  };
}

/** The name of every event of `hub.on`. */
export const HUB_EVENTS = Object.keys(HUB_EVENT_NAMES) as (keyof HubEvents)[];

/** The name of every lifecycle event of a poller. */
export const LIFECYCLE_EVENTS = Object.keys(LIFECYCLE_NAMES) as (keyof LifecycleEvents)[];
