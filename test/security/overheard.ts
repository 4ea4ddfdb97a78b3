import { HubClient, type HubClientOptions, type Logger, memoryState, type State } from 'opendelivery-client';
import { ManualClock } from 'opendelivery-client/testing';
import { onTestFinished } from 'vitest';
import { STATE_METHODS } from '../../src/state/port.js';
import { HUB_EVENTS, LIFECYCLE_EVENTS } from '../support.js';
import { CREDENTIALS, printed } from './scan.js';

/** A state that records the arguments of every call, as `method key …`. */
export function recordingState(inner: State = memoryState()): { state: State; written: string[][] } {
  const written: string[][] = [];
  const methods = STATE_METHODS.map((name) => [
    name,
    (...parameters: unknown[]) => {
      const recorded = parameters.filter((each) => !(each instanceof ManualClock));
      written.push([
        name,
        ...recorded.map((each) => (typeof each === 'string' ? each : (JSON.stringify(each) ?? ''))),
      ]);
      return Reflect.apply(inner[name], inner, parameters);
    },
  ]);
  return { state: Object.fromEntries(methods) as State, written };
}

/** Keys of payloads whose values are the hub's data: the application receives it unmasked. */
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

/** A client whose whole output is recorded: log, events, errors, and what printing it shows. */
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
  onTestFinished(async () => void (await hub.close()));
  for (const name of HUB_EVENTS) {
    hub.on(name, (payload) => {
      names.add(name);
      hear(payload);
      // This failure is logged.
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
  for (const name of LIFECYCLE_EVENTS) {
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
    /** Runs a call and records its result or error. */
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
