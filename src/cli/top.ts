import { Command } from 'commander';
import { ConfigurationError } from '../errors/index.js';
import type { Clock } from '../time/clock.js';
import { describeError } from './describe-error.js';
import { exchange } from './exchange.js';
import { listenForInterruption } from './interruption.js';
import { addressFrom, numberFrom } from './parse-option.js';
import type { Terminal } from './terminal.js';
import { readSnapshot, type Snapshot } from './top/snapshot.js';
import { viewOf } from './top/view.js';

const SECONDS = numberFrom('a number of seconds from 1 to 3600', (value) => value >= 1 && value <= 3600);

interface TopOptions {
  readonly url: string;
  readonly interval: number;
  readonly once?: boolean;
}

export function topCommand(terminal: Terminal): Command {
  return new Command('top')
    .description(
      'Shows a fleet: its stores, their last polls, and which of them fail. Sends nothing to the hub.',
    )
    .requiredOption(
      '--url <url>',
      'where the application publishes its health as JSON, see docs/observability.md',
      addressFrom('http://127.0.0.1:3000/health'),
    )
    .option('--interval <seconds>', 'seconds between two reads', SECONDS, 2)
    .option('--once', 'print all stores once, then exit (default if the output is not a terminal)')
    .action((options: TopOptions) => top(terminal, options));
}

async function top(terminal: Terminal, { url, interval, once = false }: TopOptions): Promise<void> {
  const { clock } = terminal;
  using interruption = listenForInterruption();
  const { signal } = interruption;
  const read = async () => readSnapshot(await fetchText(url, clock, signal));
  let snapshot: Snapshot;
  let at = clock.now();
  let failure: string | undefined;
  const view = (rows: number) =>
    viewOf(snapshot, { terminal, url, at, now: clock.now(), columns: terminal.columns, rows, failure });
  try {
    snapshot = await read();
    if (once || !terminal.hasScreen) {
      for (const line of view(Number.POSITIVE_INFINITY)) await terminal.line(line);
      return;
    }
    await terminal.withScreen(async () => {
      while (!signal.aborted) {
        await terminal.showScreen(view(terminal.rows));
        await clock.sleep(interval * 1000, signal);
        try {
          snapshot = await read();
          at = clock.now();
          failure = undefined;
        } catch (error) {
          failure = describeError(error);
        }
      }
    });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** Reads what the application publishes. */
async function fetchText(url: string, clock: Clock, signal: AbortSignal): Promise<string> {
  const fail = (reason: string) => new ConfigurationError('--url', `${url} cannot be read: ${reason}`);
  const init = { headers: { accept: 'application/json' } };
  const response = await exchange(url, init, { clock, signal }).catch((error: Error) => {
    signal.throwIfAborted();
    throw fail(error.message);
  });
  // A health check responds with 503 while the application is not well: its body is what we are here for.
  if (response.ok || response.status === 503) return response.text;
  throw fail(`the response has status ${response.status}`);
}
