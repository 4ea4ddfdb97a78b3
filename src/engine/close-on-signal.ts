import { ConfigurationError } from '../errors/index.js';
import { systemClock } from '../time/clock.js';
import { withinTime } from '../time/timer.js';
import { resolveStopTimeoutMs } from './options.js';
import type { StopReport } from './reports.js';
import { messageOf } from './thrown.js';

/** What `closeOnSignal` closes: a poller, client, fleet, worker or state, a server of `node:http`, or an object of yours. */
export interface Closable {
  /**
   * Is called with `{ timeoutMs }`; the requests of a server have as long. After ten more seconds, the next thing is closed. What it
   * resolves to is printed if it is a report of a poller, or several of them.
   */
  close(options: never): unknown;
}

/** Options of `closeOnSignal`. */
export interface CloseOnSignalOptions {
  /** How long each of the things may wait for running listeners, in ms. Default: 30 000. */
  readonly timeoutMs?: number | undefined;
}

/** The part of Node's `process` that is used. A platform may lack all of it. */
interface Process {
  readonly platform: string;
  readonly send?: unknown;
  exitCode?: number | string | null | undefined;
  on(name: string, listener: (message: unknown) => void): unknown;
  off(name: string, listener: (message: unknown) => void): unknown;
  exit(code: number): void;
}

/** A process that a signal ends exits with 128 and the number of the signal. */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143, SIGBREAK: 149 } as const;

/** What process managers send over the channel of a child process, because Windows has no SIGTERM. */
const SHUTDOWN = 'shutdown';

/**
 * On SIGTERM, SIGINT, on Windows also SIGBREAK, and on the message `shutdown` of the parent process: closes what was
 * passed, one after another, in that sequence, and prints one line that says what became of the events. A
 * second signal ends the process at once, with exit code 128 + its number.
 *
 * It does not end the process otherwise: Node.js does, when nothing is left to do. If something cannot be closed,
 * that is printed, the rest is closed, and the exit code is 1.
 *
 * Pass the poller before what its listeners use: `closeOnSignal(hub, server, { close: () => pool.end() })`. A platform
 * without processes, such as a Worker, has no signals: there it does nothing.
 *
 * @param things - each has `close({ timeoutMs })`; at the end, the options may follow.
 * @returns a function that removes the handlers.
 * @throws {ConfigurationError} something has no `close`, or an option is unknown or invalid.
 */
export function closeOnSignal(...things: readonly (Closable | CloseOnSignalOptions)[]): () => void {
  const last = things.at(-1);
  const hasOptions = last !== undefined && !isClosable(last);
  const timeoutMs = resolveStopTimeoutMs(hasOptions ? (last as CloseOnSignalOptions) : {});
  const closables = hasOptions ? things.slice(0, -1) : things;
  if (closables.length === 0 || !closables.every(isClosable)) {
    throw new ConfigurationError(
      'closeOnSignal',
      'pass what has close(), then the options: (hub, { timeoutMs })',
    );
  }
  const { process } = globalThis as { process?: Process };
  return typeof process?.on === 'function' ? listen(process, closables, timeoutMs) : () => {};
}

const isClosable = (thing: unknown): thing is Closable =>
  typeof (thing as Partial<Closable> | undefined)?.close === 'function';

function listen(process: Process, closables: readonly Closable[], timeoutMs: number): () => void {
  let isClosing = false;
  const onSignal = (signal: string, code: number) => {
    if (isClosing) process.exit(code);
    else {
      isClosing = true;
      // Who waits for a message keeps the process alive.
      void closeAll(process, signal, closables, timeoutMs).then(() => process.off('message', onMessage));
    }
  };
  const onMessage = (message: unknown) => {
    if (message === SHUTDOWN) onSignal(SHUTDOWN, EXIT_CODES.SIGTERM);
  };
  const handlers: (readonly [string, (message: unknown) => void])[] = [];
  for (const [signal, code] of Object.entries(EXIT_CODES)) {
    const isHere = signal !== 'SIGBREAK' || process.platform === 'win32';
    if (isHere) handlers.push([signal, () => onSignal(signal, code)]);
  }
  if (process.send) handlers.push(['message', onMessage]);
  for (const [name, handler] of handlers) process.on(name, handler);
  return () => {
    for (const [name, handler] of handlers) process.off(name, handler);
  };
}

/** The part of a server of `node:http` that is used: its `close` returns at once, and calls back. */
interface HttpServer {
  close(onClosed: () => void): unknown;
  closeIdleConnections(): void;
  closeAllConnections(): void;
}

const isServer = (thing: object): thing is HttpServer =>
  typeof (thing as Partial<HttpServer>).closeIdleConnections === 'function';

/** How often idle connections are looked for, in ms. */
const LOOK_MS = 50;

/** Waits for the requests that it is answering: what they use is closed after it. */
async function closeServer(server: HttpServer, timeoutMs: number): Promise<void> {
  let isClosed = false;
  server.close(() => {
    isClosed = true;
  });
  const endsAt = systemClock.monotonic() + timeoutMs;
  while (!isClosed && systemClock.monotonic() < endsAt) {
    await systemClock.sleep(LOOK_MS);
    // Node.js closes those that are idle when `close` is called, not those whose response comes later.
    server.closeIdleConnections();
  }
  server.closeAllConnections();
}

/** Beyond `timeoutMs`, for a database or state that does not answer; what does not end by then keeps nothing else open. */
const GRACE_MS = 10_000;

const tooLate = () => new Error('a close() has not ended');

/** One after another. Never rejects. */
async function closeAll(
  process: Process,
  signal: string,
  closables: readonly Closable[],
  timeoutMs: number,
): Promise<void> {
  const reports: unknown[] = [];
  const failures: string[] = [];
  for (const closable of closables) {
    try {
      const close = () =>
        isServer(closable) ? closeServer(closable, timeoutMs) : closable.close({ timeoutMs } as never);
      reports.push(await withinTime(systemClock, timeoutMs + GRACE_MS, close, tooLate));
    } catch (error) {
      failures.push(messageOf(error));
    }
  }
  console.log(`closed on ${signal}: ${reportLineOf(reports)}`);
  if (failures.length === 0) return;
  process.exitCode = 1;
  console.error(`opendelivery-client: not closed: ${failures.join('; ')}`);
}

/** The reports in what a `close` has resolved to: one, those of a client, or those of a fleet's stores. */
function reportsIn(closed: unknown): StopReport[] {
  if (Array.isArray(closed)) return closed.flatMap(reportsIn);
  if (closed instanceof Map) return [...closed.values()].flatMap(reportsIn);
  return isReport(closed) ? [closed] : [];
}

const isReport = (value: unknown): value is StopReport =>
  typeof value === 'object' && value !== null && 'handled' in value && 'unacknowledged' in value;

/** One line about the reports in what a `close` or several of them have resolved to. */
export function reportLineOf(closed: unknown): string {
  const reports = reportsIn(closed);
  const sum = (count: (report: StopReport) => number) =>
    reports.reduce((total, report) => total + count(report), 0);
  const left = sum(({ unacknowledged }) => unacknowledged.length);
  const isLate = reports.some(({ timedOut }) => timedOut);
  return (
    `${sum(({ handled }) => handled)} handled, ${sum(({ acknowledged }) => acknowledged)} acknowledged, ${left} left at the hub` +
    (isLate ? '; listeners were still running when the time was over' : '')
  );
}
