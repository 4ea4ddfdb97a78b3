import { dirname, resolve } from 'node:path';
import { ConfigurationError } from '../errors.js';
import { scaledClock } from '../testing/scaled-clock.js';
import { createMockHub } from '../testing/create-mock-hub.js';
import { playEvening } from '../testing/evening.js';
import type { Json } from '../testing/fixtures.js';
import type { JournalEntry } from '../testing/journal.js';
import type { NewStore } from '../testing/mock-store.js';
import { interruption } from './interrupt.js';
import { readJsonFile } from './read-file.js';
import { timeOfDay } from './spoken.js';
import { paint, Styled, styled } from './styled.js';
import type { Terminal } from './terminal.js';

export interface MockCommandOptions {
  readonly port: number;
  readonly scale: number;
  readonly faults?: number;
  readonly seed: string;
  readonly store?: string;
  readonly script?: string;
  readonly json?: boolean;
}

const SCRIPTS = { evening: playEvening };

export const SCRIPT_NAMES = Object.keys(SCRIPTS) as (keyof typeof SCRIPTS)[];

/** Serves the mock hub until it is told to end. */
export async function mock(terminal: Terminal, options: MockCommandOptions): Promise<void> {
  const { port, scale, faults, seed, store, script } = options;
  const clock = scale === 1 ? terminal.clock : scaledClock(scale);
  const show = (entry: JournalEntry) => void terminal.line(lineOf(entry)).catch(() => {});
  const hub = createMockHub({
    clock,
    onRequest: show,
    ...(store !== undefined && { stores: storesOf(store) }),
  });
  if (faults !== undefined) hub.faults.random({ seed, rate: faults });
  const server = await hub.listen({ port, control: true }).catch((error: unknown) => {
    throw new ConfigurationError('--port', portProblem(error, port));
  });
  const interrupted = interruption();
  const { signal } = interrupted;
  try {
    for (const line of welcome(server.url, hub.stores, options))
      await (line instanceof Styled ? terminal.line(line) : terminal.unwrapped(line));
    const playing = script === undefined ? undefined : SCRIPTS[script as keyof typeof SCRIPTS];
    const played = playing?.(hub, clock, signal).then(
      () => terminal.line(`the ${script} is over; the hub stays`),
      (error: unknown) => {
        if (!signal.aborted) throw error;
      },
    );
    const ended = new Promise((end) =>
      signal.aborted ? end(undefined) : signal.addEventListener('abort', end),
    );
    // A script that fails ends the command; one that is over does not.
    await Promise.race([ended, played?.then(() => ended)].filter((each) => each !== undefined));
    await server.close();
    await played;
  } finally {
    // Also when nobody reads the first lines (`| head -1`): an open server would keep the process.
    await server.close().catch(() => {});
    interrupted.release();
  }
}

/** Why the port cannot be used, and what to do. */
function portProblem(error: unknown, port: number): string {
  const { code, message } = error as NodeJS.ErrnoException;
  const other = 'choose another one with --port (0 takes a free one)';
  if (code === 'EADDRINUSE')
    return `port ${port} is already in use; stop the program that uses it, or ${other}`;
  if (code === 'EACCES') return `this user may not use port ${port}; ${other}`;
  return `port ${port} cannot be used (${message}); ${other}`;
}

function* welcome(
  url: string,
  stores: readonly NewStore[],
  { scale, faults, seed, script }: MockCommandOptions,
): Generator<string | Styled> {
  yield styled`${paint('bold', 'mock hub')} at ${paint('cyan', url)}`;
  yield '';
  yield `  HUB_BASE_URL=${url}`;
  for (const { clientId, clientSecret, apiKey } of stores) {
    yield `  HUB_CLIENT_ID=${clientId} HUB_CLIENT_SECRET=${clientSecret} HUB_API_KEY=${apiKey}`;
  }
  const [first] = stores as readonly [NewStore];
  yield '';
  yield 'try it:';
  yield `  curl -H 'x-api-key: ${first.apiKey}' ${url}/opendelivery/v1/merchant`;
  yield `  curl -d 'grant_type=client_credentials&client_id=${first.clientId}&client_secret=${first.clientSecret}' ${url}/opendelivery/oauth/token`;
  yield 'control it:';
  yield `  curl ${url}/_mock/`;
  yield `  curl -X POST ${url}/_mock/orders`;
  yield '';
  if (scale !== 1) yield `a minute of the hub takes ${(60 / scale).toFixed(1)} s`;
  if (faults !== undefined)
    yield `${faults * 100} % of all requests fail; --seed ${seed} plays the same day again`;
  if (script !== undefined) yield `plays the script '${script}'`;
}

function lineOf({ at, method, path, status, fault, events, acknowledged }: JournalEntry): Styled {
  const answer = status === undefined || status === 0 ? 'no answer' : String(status);
  const colour = answer.startsWith('2') ? 'green' : 'red';
  const notes = [
    ...(fault ? [`fault ${fault.type}`] : []),
    ...(events?.length ? [`${events.length} events`] : []),
    ...(acknowledged ? [`${acknowledged.length} acknowledged`] : []),
  ];
  const after = notes.length > 0 ? styled`  ${paint('dim', notes.join(', '))}` : '';
  return styled`${timeOfDay(at)}  ${paint(colour, answer.padEnd(3))}  ${method.padEnd(4)} ${path}${after}`;
}

/**
 * The stores of a file: `{ "stores": [{ clientId, clientSecret, apiKey, merchant }] }`,
 * where `merchant` is a document or the name of a file beside it; or one
 * merchant document, which becomes the mock's own store's.
 *
 * @throws {ConfigurationError} it cannot be read, or is neither.
 */
function storesOf(path: string): readonly NewStore[] {
  const document = readJson(path);
  if (!Array.isArray(document.stores)) {
    const [own] = createMockHub().stores;
    return [{ ...(own as NewStore), merchant: document }];
  }
  return (document.stores as Record<string, unknown>[]).map((store) =>
    typeof store.merchant === 'string'
      ? ({ ...store, merchant: readJson(resolve(dirname(path), store.merchant)) } as unknown as NewStore)
      : (store as unknown as NewStore),
  );
}

function readJson(path: string): Json {
  const document = readJsonFile('--store', path);
  if (typeof document === 'object' && document !== null && !Array.isArray(document)) return document as Json;
  throw new ConfigurationError('--store', `${path} must hold a JSON object`);
}
