import type { HubClient } from '../client.js';
import type { Clock } from '../clock.js';
import { isHubError } from '../errors.js';
import { type ConnectionOptions, connect } from './connect.js';
import { interruption } from './interrupt.js';
import { Printer } from './printer.js';
import { lasting, timeOfDay } from './spoken.js';
import type { Terminal } from './terminal.js';

/** What the hub allows: two a minute (Spec §8). */
const INTERVAL_MS = 30_000;

export interface PollCommandOptions extends ConnectionOptions {
  readonly json?: boolean;
  readonly acknowledge?: boolean;
  readonly once?: boolean;
}

interface Session {
  readonly terminal: Terminal;
  readonly hub: HubClient;
  readonly clock: Clock;
  readonly printer: Printer;
  readonly once: boolean;
  readonly signal: AbortSignal;
  /** Epoch ms. */
  nextPollAt: () => number | undefined;
}

/** Follows a store's events. Without `--acknowledge` the hub keeps them all. */
export async function poll(terminal: Terminal, options: PollCommandOptions): Promise<void> {
  const { json = false, acknowledge = false, once = false } = options;
  const { clock } = terminal;
  await using hub = connect(terminal, options, 'store', { logger: false, clock });
  const interrupted = interruption();
  const over = new AbortController();
  terminal.remark(
    acknowledge
      ? 'an event is acknowledged when its line is written: the hub forgets it'
      : 'nothing is acknowledged: the hub keeps these events for your app',
  );
  const printer = new Printer(terminal, json);
  const session: Session = {
    terminal,
    hub,
    clock,
    printer,
    once,
    signal: interrupted.signal,
    nextPollAt: () => undefined,
  };
  const watching = terminal.watch(over.signal, () => statusOf(session));
  try {
    await (acknowledge ? consume(session) : look(session));
  } finally {
    over.abort();
    await watching;
    interrupted.release();
  }
}

/** Reads without confirming: the hub repeats everything, so only what is new is printed. */
async function look(session: Session): Promise<void> {
  const { hub, clock, printer, once, signal } = session;
  let seen = new Set<string>();
  while (!signal.aborted) {
    const startedAt = clock.now();
    let waitMs = INTERVAL_MS;
    try {
      const { events, issues } = await hub.events.poll({ signal });
      await conceal(session);
      for (const event of events) if (!seen.has(event.eventId)) await printer.event(event);
      printer.issues(issues);
      seen = new Set(events.map(({ eventId }) => eventId));
    } catch (error) {
      if (signal.aborted) return;
      if (once || !mayPass(error)) throw error;
      if (isHubError(error) && error.code === 'rate_limit') waitMs = Math.max(waitMs, error.retryAfterMs);
      const leftMs = startedAt + waitMs - clock.now();
      const again = leftMs > 0 ? `in ${lasting(leftMs)}` : 'now';
      printer.warning(`${timeOfDay(clock.now())}  ${(error as Error).message}; polling again ${again}`);
    }
    if (once) return;
    const nextPollAt = startedAt + waitMs;
    session.nextPollAt = () => nextPollAt;
    await clock.sleep(Math.max(0, nextPollAt - clock.now()), signal).catch(() => {});
  }
}

/** Masks the token in what is printed from now on. The poll has just used it: this asks nobody. */
async function conceal({ hub, terminal }: Session): Promise<void> {
  const token = await hub.auth.getToken().catch(() => undefined);
  if (token) terminal.redactor.addTemporary(token.value);
}

/** The hub's trouble may pass; refused credentials, a wrong address or a broken pipe do not. */
function mayPass(error: unknown): boolean {
  return isHubError(error) && !['authentication', 'configuration', 'not_found'].includes(error.code);
}

/** Confirms each event when its line has been written, and not before. */
async function consume(session: Session): Promise<void> {
  const { hub, clock, printer, once, signal } = session;
  const poller = hub.poller();
  let broken: unknown;
  const failed = new AbortController();
  poller.on('event', async (event) => {
    await conceal(session);
    try {
      await printer.event(event);
    } catch (error) {
      broken = error; // nobody reads any more: what is left stays at the hub
      failed.abort();
      throw error;
    }
  });
  poller.on('invalid', ({ issues }) => printer.issues(issues));
  poller.on('standby', ({ retryAfterMs }) =>
    printer.warning(`${timeOfDay(clock.now())}  ${leasedMessage(retryAfterMs)}`),
  );
  poller.on('error', (error) =>
    printer.warning(`${timeOfDay(clock.now())}  ${error.message}; polling goes on`),
  );
  session.nextPollAt = () => poller.health().nextPollAt;
  const ended = AbortSignal.any([signal, failed.signal]);
  try {
    if (once) {
      const report = await poller.runOnce({ signal });
      if (report.skipped) throw new Error(leasedMessage(report.retryAfterMs));
      const { unacknowledged } = report;
      if (unacknowledged.length > 0)
        throw broken ?? new Error(`${unacknowledged.length} events were not confirmed`);
      return;
    }
    await poller.start({ signal: ended });
    if (!ended.aborted) await new Promise((resolve) => ended.addEventListener('abort', resolve));
    if (broken) throw broken;
  } catch (error) {
    if (!signal.aborted) throw broken ?? error;
  } finally {
    const { acknowledged, unacknowledged } = await poller.stop();
    if (!once) printer.remark(`${acknowledged} acknowledged, ${unacknowledged.length} left at the hub`);
  }
}

function leasedMessage(retryAfterMs: number): string {
  return `another poller handles this store's events; its lease ends in ${lasting(retryAfterMs)} unless it is renewed`;
}

function statusOf({ hub, clock, nextPollAt, printer }: Session): string {
  const { remaining, limit } = hub.rateLimits().polling;
  const waitMs = (nextPollAt() ?? 0) - clock.now();
  const next = waitMs > 0 ? `next poll in ${lasting(waitMs)}` : 'polling';
  return `${next} · ${remaining} of ${limit} polls left this minute · ${printer.count} events so far`;
}
