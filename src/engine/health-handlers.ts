import { ConfigurationError } from '../errors/index.js';
import type { NodeResponse } from './push/node-handler.js';
import type { PollerHealth } from './reports.js';

/** What a probe asks: a poller, a fleet, or a worker of 'opendelivery-client/bullmq'. */
export interface HealthSource {
  /** What it is doing, without a request. */
  health(): Pick<PollerHealth, 'status' | 'stuckMs'>;
}

/** Answers a probe: a `Request`, or a request of `node:http`, Express and similar servers. */
export interface ProbeHandler {
  /** Writes the response. */
  (request: object, response: Omit<NodeResponse, 'headersSent' | 'writableEnded'>): void;
  /** Returns the response. */
  (request: Request): Response;
}

/** A poll that nothing keeps from beginning, and that has not begun for so long, shows that the process is stuck. */
const STUCK_MS = 15 * 60_000;

/** What a probe shows of `health()`, as far as it is there: numbers and one word, nothing that the hub has sent. */
const SHOWN = [
  'status',
  'stuckMs',
  'overdueMs',
  'consecutiveFailures',
  'stores',
  'polling',
  'backingOff',
  'standby',
  'refused',
  'overdue',
  'shards',
  'running',
  'unacknowledged',
] as const;

const READY: ReadonlySet<PollerHealth['status']> = new Set(['running', 'paused', 'standby']);

type Health = ReturnType<HealthSource['health']>;

export const isStuck = ({ stuckMs }: Health): boolean => stuckMs > STUCK_MS;

export const isReady = ({ status }: Health): boolean => READY.has(status);

/** The chosen fields. */
export function shownHealth(health: Health): {
  readonly status: string;
  readonly [count: string]: string | number;
} {
  return JSON.parse(JSON.stringify(health, [...SHOWN]));
}

/**
 * Answers the question whether this process must be restarted: 200, or 503 if it is stuck. That is so if a poll has been
 * due for 15 minutes and was not begun, although neither the hub nor the state or a listener is waited for. A hub, a
 * database or a Redis that is down is no reason: a restart would not help, and each one costs token requests.
 *
 * The body is JSON with the status and some counts. Before `start` and after `stop` the response is 200.
 *
 * @param source - a poller, a fleet or a worker.
 * @throws {ConfigurationError} the argument has no `health()`.
 *
 * @example
 * ```ts
 * const live = livenessHandler(poller);
 * const ready = readinessHandler(poller);
 * createServer((request, response) => (request.url === '/livez' ? live : ready)(request, response)).listen(8080);
 * ```
 */
export function livenessHandler(source: HealthSource): ProbeHandler {
  return probeHandler('livenessHandler', source, (health) => !isStuck(health));
}

/**
 * Answers the question whether this process does its work: 200 from the first good poll on, until `stop` or `close` is
 * called; otherwise 503. Standby counts as ready, and so does a process of a fleet that has no store to poll. It stays
 * ready while the hub is down: another process could not reach it either.
 *
 * The body is JSON with the status and some counts.
 *
 * @param source - a poller, a fleet or a worker.
 * @throws {ConfigurationError} the argument has no `health()`.
 */
export function readinessHandler(source: HealthSource): ProbeHandler {
  return probeHandler('readinessHandler', source, isReady);
}

function probeHandler(name: string, source: HealthSource, isGood: (health: Health) => boolean): ProbeHandler {
  if (typeof (source as Partial<HealthSource> | undefined)?.health !== 'function') {
    throw new ConfigurationError(name, 'pass a poller, a fleet or a worker: something that has health()');
  }
  const handler = (_request: object, outgoing?: NodeResponse): Response | undefined => {
    const health = source.health();
    const status = isGood(health) ? 200 : 503;
    const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' };
    const body = JSON.stringify(shownHealth(health));
    // A platform may pass something else beside a `Request`, such as the bindings of a Worker.
    if (typeof outgoing?.setHeader !== 'function') return new Response(body, { status, headers });
    for (const [header, value] of Object.entries(headers)) outgoing.setHeader(header, value);
    outgoing.statusCode = status;
    outgoing.end(new TextEncoder().encode(body));
    return undefined;
  };
  return handler as ProbeHandler;
}
