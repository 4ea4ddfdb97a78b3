import { HubClient, type HubClientOptions, type Logger, memoryState, type State } from 'opendelivery-client';
import { ManualClock } from 'opendelivery-client/testing';
import { onTestFinished } from 'vitest';
import { LIFECYCLE_NAMES } from '../../src/events/poller-events.js';
import { STATE_METHODS } from '../state/methods.js';
import { HUB_EVENTS } from '../support.js';
import { CREDENTIALS, printed } from './scan.js';

/** Everything that was ever given to a state, as `method key …`. */
export function recordingState(inner: State = memoryState()): { state: State; written: string[][] } {
  const written: string[][] = [];
  const methods = STATE_METHODS.map((name) => [
    name,
    (...parameters: unknown[]) => {
      const told = parameters.filter((each) => !(each instanceof ManualClock));
      written.push([
        name,
        ...told.map((each) => (typeof each === 'string' ? each : (JSON.stringify(each) ?? ''))),
      ]);
      return Reflect.apply(inner[name], inner, parameters);
    },
  ]);
  return { state: Object.fromEntries(methods) as State, written };
}

/** What the application is given of the hub's own: it is passed on as it is, echoes and all. */
const DATA = new Set([
  'value',
  'event',
  'events',
  'eventIds',
  'unacknowledged',
  'merchant',
  'order',
  'changes',
  'received',
  'lastUpdate',
]);

function withoutData(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutData);
  if (typeof value !== 'object' || value === null || value instanceof Error) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !DATA.has(key))
      .map(([key, inner]) => [key, withoutData(inner)]),
  );
}

/** A client all of whose words are kept: log, events, errors, itself. */
export function overheard(baseUrl: string, options: Partial<HubClientOptions> = {}) {
  const clock = new ManualClock();
  const said: string[] = [];
  const names = new Set<string>();
  const hear = (value: unknown) => void said.push(printed(withoutData(value)));
  const log = (...words: unknown[]) => words.forEach(hear);
  const logger: Logger = { debug: log, info: log, warn: log, error: log };
  let turn = 0;
  const hub = new HubClient({
    baseUrl,
    clientId: '1001',
    clientSecret: () => (turn++ === 0 ? CREDENTIALS.clientSecret : CREDENTIALS.rotatedSecret),
    apiKey: CREDENTIALS.apiKey,
    headers: {
      'x-partner-key': CREDENTIALS.partnerKey,
      cookie: `session=${CREDENTIALS.partnerPassword}; theme=dark`,
      'user-agent': 'own-app/1.0',
    },
    clock,
    logger,
    retry: { attempts: 2, deadlineMs: 100_000 },
    rateLimit: { maxWaitMs: 60_000 },
    ...options,
  });
  onTestFinished(() => hub.close());
  for (const name of HUB_EVENTS) {
    hub.on(name, (payload) => {
      names.add(name);
      hear(payload);
      // The logger is told of a listener that fails.
      throw new Error('a listener that fails');
    });
  }
  for (const name of ['updated', 'regressed'] as const) {
    hub.merchant.on(name, (payload) => {
      names.add(name);
      hear(payload);
    });
  }
  const poller = hub.poller({ maxAttempts: 2, ordering: 'none' });
  for (const name of LIFECYCLE_NAMES) {
    poller.on(name, (payload: unknown) => {
      names.add(name);
      hear(payload);
    });
  }
  return {
    hub,
    clock,
    poller,
    names,
    hear,
    /** What a call rejects with is kept too. */
    call: async (work: () => Promise<unknown>) => {
      const settled = work().then(hear, (error: unknown) => {
        hear(error);
        return error;
      });
      await clock.advance('2m');
      return settled;
    },
    everything: () => {
      for (const each of [hub, hub.auth, hub.merchant, hub.events, hub.orders, poller]) hear(each);
      hear(poller.health());
      hear(hub.rateLimits());
      return said.join('\n');
    },
  };
}
