import { Command } from 'commander';
import { connect } from './connect.js';
import { addConnectionOptions, type ConnectionOptions } from './connection-options.js';
import { EventPrinter } from './event-printer.js';
import { formatCount, formatDuration } from './format.js';
import { interruption } from './interruption.js';
import { consumeEvents } from './poll/consume.js';
import { followEvents } from './poll/follow.js';
import type { Session } from './poll/session.js';
import type { Terminal } from './terminal.js';

interface PollOptions extends ConnectionOptions {
  readonly json?: boolean;
  readonly acknowledge?: boolean;
  readonly once?: boolean;
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
  await using hub = await connect(terminal, options, 'store', { logger: false, clock: terminal.clock });
  const { signal, release } = interruption();
  const done = new AbortController();
  terminal.note(
    acknowledge
      ? 'Each event is acknowledged after its line is printed. The hub does not send it again.'
      : 'No event is acknowledged. The hub keeps all events for your application.',
  );
  const printer = new EventPrinter(terminal, json);
  const session: Session = { terminal, hub, printer, once, signal, nextPollAt: () => undefined };
  const shown = terminal.showStatus(done.signal, () => statusOf(session));
  try {
    await (acknowledge ? consumeEvents(session) : followEvents(session));
  } finally {
    done.abort();
    await shown;
    release();
  }
}

function statusOf({ hub, terminal, nextPollAt, printer }: Session): string {
  const { remaining, limit } = hub.rateLimits().polling;
  const waitMs = (nextPollAt() ?? 0) - terminal.clock.now();
  const next = waitMs > 0 ? `next poll in ${formatDuration(waitMs)}` : 'polling';
  return `${next} · ${remaining} of ${limit} polls left this minute · ${formatCount(printer.count, 'event')} so far`;
}
