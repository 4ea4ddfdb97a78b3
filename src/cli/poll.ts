import { Command } from 'commander';
import type { HubClient } from '../client.js';
import { type Issue, isHubError } from '../errors/index.js';
import { instantOf } from '../schemas/date-time.js';
import type { OrderEvent } from '../schemas/event.js';
import { addConnectionOptions, type ConnectionOptions, connect } from './connect.js';
import { formatCount, formatDuration, formatTimeOfDay, shortened } from './format.js';
import { abortOf, listenForInterruption } from './interruption.js';
import { paint, type Styled, styled } from './styled.js';
import type { Terminal } from './terminal.js';

const MAX_ISSUES = 20;
const MAX_WARNING_LENGTH = 500;

interface PollOptions extends ConnectionOptions {
  readonly json?: boolean;
  readonly acknowledge?: boolean;
  readonly once?: boolean;
}

interface Session {
  readonly terminal: Terminal;
  readonly hub: HubClient;
  /** Print each event as a JSON object, not as a text for people. */
  readonly json: boolean;
  readonly once: boolean;
  /** Aborts on Ctrl-C. */
  readonly signal: AbortSignal;
  /** The number of events so far. */
  printed: number;
  /** Epoch ms. */
  nextPollAt: () => number | undefined;
}

export function pollCommand(terminal: Terminal): Command {
  return addConnectionOptions(new Command('poll'))
    .description("Prints a store's order events. Acknowledges nothing unless --acknowledge is given.")
    .option(
      '--acknowledge',
      'acknowledge each event after its line is printed; the hub does not send it again',
    )
    .option('--once', 'poll once, then exit')
    .option('--json', 'print one JSON object per line')
    .action((options: PollOptions) => poll(terminal, options));
}

async function poll(terminal: Terminal, options: PollOptions): Promise<void> {
  const { json = false, acknowledge = false, once = false } = options;
  await using hub = await connect(terminal, options, 'store');
  using interruption = listenForInterruption();
  const { signal } = interruption;
  terminal.note(
    acknowledge
      ? 'Each event is acknowledged after its line is printed. The hub does not send it again.'
      : 'No event is acknowledged. The hub keeps all events for your application.',
  );
  const session: Session = { terminal, hub, json, once, signal, printed: 0, nextPollAt: () => undefined };
  const follow = acknowledge ? consumeEvents : followEvents;
  await terminal.withStatus(
    () => statusOf(session),
    () => follow(session),
  );
}

function statusOf({ hub, terminal, nextPollAt, printed }: Session): string {
  const { remaining, limit } = hub.rateLimits().polling;
  const waitMs = (nextPollAt() ?? 0) - terminal.clock.now();
  const next = waitMs > 0 ? `next poll in ${formatDuration(waitMs)}` : 'polling';
  return `${next} · ${remaining} of ${limit} polls left this minute · ${formatCount(printed, 'event')} so far`;
}

/** Masks the present token in all output from now on. The poll has just used it, so this sends no request. */
async function maskToken({ hub, terminal }: Session): Promise<void> {
  const token = await hub.auth.getToken().catch(() => undefined);
  if (token) terminal.redactor.addTemporary(token.value);
}

function warn(terminal: Terminal, message: string): void {
  terminal.note(paint('yellow', terminal.truncate(message, MAX_WARNING_LENGTH)));
}

function warnNow({ terminal }: Session, message: string): void {
  warn(terminal, `${formatTimeOfDay(terminal.clock.now())}  ${message}`);
}

/** Prints events and acknowledges each one after its line has been written. */
async function consumeEvents(session: Session): Promise<void> {
  const { terminal, hub, once, signal } = session;
  const poller = hub.poller();
  const failed = new AbortController();
  poller.on('event', async (event) => {
    await maskToken(session);
    try {
      await printEvent(session, event);
    } catch (error) {
      failed.abort(error); // the pipe is closed: the remaining events stay at the hub
      throw error;
    }
  });
  poller.on('invalid', ({ issues }) => printIssues(session, issues));
  poller.on('standby', ({ retryAfterMs }) => warnNow(session, describeLease(retryAfterMs)));
  poller.on('error', (error) => {
    if (!failed.signal.aborted) warnNow(session, `${error.message}; polling continues`);
  });
  session.nextPollAt = () => poller.health().nextPollAt;
  const ended = AbortSignal.any([signal, failed.signal]);
  try {
    if (once) {
      const report = await poller.runOnce({ signal });
      if (report.skipped) throw new Error(describeLease(report.retryAfterMs));
      const { length } = report.unacknowledged;
      if (length > 0) {
        failed.signal.throwIfAborted();
        throw new Error(`${formatCount(length, 'event')} not acknowledged; the hub keeps them`);
      }
      return;
    }
    await poller.start({ signal: ended });
    await abortOf(ended);
    failed.signal.throwIfAborted();
  } catch (error) {
    if (!signal.aborted) throw failed.signal.reason ?? error;
  } finally {
    const { acknowledged, unacknowledged } = await poller.stop();
    if (!once) {
      terminal.note(
        `${formatCount(acknowledged, 'event')} acknowledged, ${unacknowledged.length} left at the hub`,
      );
    }
  }
}

function describeLease(retryAfterMs: number): string {
  return `another poller handles this store's events; its lease ends in ${formatDuration(retryAfterMs)} unless it is renewed`;
}

/** The hub allows two polls per minute (Spec §8). */
const INTERVAL_MS = 30_000;

/** Polls without acknowledging. The hub repeats all pending events, so only new ones are printed. */
async function followEvents(session: Session): Promise<void> {
  const { hub, once, signal } = session;
  const { clock } = session.terminal;
  let seen = new Set<string>();
  while (!signal.aborted) {
    const startedAt = clock.now();
    let waitMs = INTERVAL_MS;
    try {
      const { events, issues } = await hub.events.poll({ signal });
      await maskToken(session);
      for (const event of events) if (!seen.has(event.eventId)) await printEvent(session, event);
      printIssues(session, issues);
      seen = new Set(events.map(({ eventId }) => eventId));
    } catch (error) {
      if (signal.aborted) return;
      if (once || !isTemporary(error)) throw error;
      if (isHubError(error) && error.code === 'rate_limit') waitMs = Math.max(waitMs, error.retryAfterMs);
      const leftMs = startedAt + waitMs - clock.now();
      const next = leftMs > 0 ? `in ${formatDuration(leftMs)}` : 'now';
      warnNow(session, `${(error as Error).message}; next poll ${next}`);
    }
    if (once) return;
    const nextPollAt = startedAt + waitMs;
    session.nextPollAt = () => nextPollAt;
    await clock.sleep(Math.max(0, nextPollAt - clock.now()), signal).catch(() => {});
  }
}

/** A failure of the hub may pass. Refused credentials, a wrong address and a closed pipe do not. */
function isTemporary(error: unknown): boolean {
  return isHubError(error) && !['authentication', 'configuration', 'not_found'].includes(error.code);
}

/** Resolves when the line is written. */
async function printEvent(session: Session, event: OrderEvent): Promise<void> {
  const { json, terminal } = session;
  await (json ? terminal.json(event) : terminal.line(lineOf(event)));
  session.printed += 1;
}

function printIssues({ terminal }: Session, issues: readonly Issue[]): void {
  const lines = issues.map(({ path, message }) => `issue at ${path.join('.')}: ${message}`);
  for (const line of shortened(lines, MAX_ISSUES, (left) => `and ${left} more issues`)) warn(terminal, line);
}

function lineOf({ eventType, orderId, eventId, createdAt }: OrderEvent): Styled {
  const at = instantOf(createdAt);
  const time = at === undefined ? '--:--:--' : formatTimeOfDay(at);
  const type = paint(colourOf(eventType), eventType.padEnd(26));
  return styled`${time}  ${type}  order ${orderId}  ${paint('dim', `event ${eventId}`)}`;
}

function colourOf(eventType: string): 'green' | 'red' | 'cyan' {
  if (eventType === 'CREATED') return 'green';
  return eventType.includes('CANCEL') ? 'red' : 'cyan';
}
