import { Writable } from 'node:stream';
import type { Clock } from 'opendelivery-client';
import { fileState } from 'opendelivery-client';
import { createMockHub, ManualClock, type MockHub, type MockHubOptions } from 'opendelivery-client/testing';
import { expect, onTestFinished, vi } from 'vitest';
import { run } from '../../src/cli/program.js';
import { soon } from '../soon.js';
import { temporaryDirectory } from '../temporary.js';

export interface Ran {
  readonly code: Promise<number>;
  /** What has been written to stdout so far. */
  readonly out: string;
  readonly err: string;
}

/** Runs a command line in this process, with its own streams. */
export function opendelivery(
  commandLine: string,
  {
    clock = new ManualClock(),
    isTTY = false,
    columns = 200,
    rows = 24,
    failAfter = Number.POSITIVE_INFINITY,
    input,
  }: {
    clock?: Clock;
    isTTY?: boolean;
    columns?: number;
    rows?: number;
    /** The pipe is closed after this many lines. */
    failAfter?: number;
    /** What a person types. */
    input?: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  } = {},
): Ran {
  const written = { out: '', err: '' };
  let lines = 0;
  const stream = (name: 'out' | 'err') =>
    Object.assign(
      new Writable({
        write(chunk, _, done) {
          if (name === 'out') lines += 1;
          if (name === 'out' && lines > failAfter) {
            done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
            return;
          }
          written[name] += String(chunk);
          done();
        },
      }).on('error', () => {}),
      { isTTY, columns, rows },
    );
  const io = { out: stream('out'), err: stream('err'), env: {}, clock, ...(input && { in: input }) };
  return {
    code: run(commandLine.split(' ').filter(Boolean), io, '1.2.3'),
    get out() {
      return written.out;
    },
    get err() {
      return written.err;
    },
  };
}

/** Runs a command line to its end, which has this exit code. */
export async function exits(code: number, ...given: Parameters<typeof opendelivery>): Promise<Ran> {
  const ran = opendelivery(...given);
  expect(await ran.code, `${given[0]}\n${ran.err}`).toBe(code);
  return ran;
}

/** Runs `opendelivery mock`, and returns the address of its hub. `real`: the clock that the command takes for the real one. */
export async function servedMock(options = '', clock = new ManualClock(), real: Clock = clock) {
  const ran = opendelivery(`mock --port 0 ${options}`, { clock: real });
  await soon(() => expect(ran.out).toContain('/_mock/orders'));
  const { baseUrl: url } = printedIn(ran.out);
  onTestFinished(async () => {
    interrupt();
    await ran.code;
  });
  return { ran, url, clock };
}

/** Serves a mock hub over HTTP, and puts its credentials into the environment. */
export async function hubInEnvironment(
  options: MockHubOptions = {},
): Promise<{ clock: ManualClock; mock: MockHub; url: string }> {
  const clock = new ManualClock();
  const mock = createMockHub({ clock, ...options });
  const { url, close } = await mock.listen();
  onTestFinished(close);
  inEnvironment(url, mock.credentials);
  return { clock, mock, url };
}

/** Puts a hub and the credentials of a store into the environment, until the test ends. */
export function inEnvironment(
  baseUrl: string,
  { clientId, clientSecret, apiKey }: MockHub['credentials'],
): void {
  vi.stubEnv('HUB_BASE_URL', baseUrl);
  vi.stubEnv('HUB_CLIENT_ID', clientId);
  vi.stubEnv('HUB_CLIENT_SECRET', clientSecret);
  vi.stubEnv('HUB_API_KEY', apiKey);
  onTestFinished(() => void vi.unstubAllEnvs());
}

/** The options of a client that a command has printed as `HUB_…=` lines, as far as it has. */
export function printedIn(text: string) {
  const of = (name: string) => new RegExp(`HUB_${name}=(\\S+)`).exec(text)?.[1] ?? '';
  return {
    baseUrl: of('BASE_URL'),
    clientId: of('CLIENT_ID'),
    clientSecret: of('CLIENT_SECRET'),
    apiKey: of('API_KEY'),
  };
}

/** Simulates Ctrl-C. */
export function interrupt(): void {
  process.emit('SIGINT');
}

/** A directory for --state. */
export function stateDirectory(): string {
  const directory = temporaryDirectory();
  onTestFinished(() => fileState(directory).close());
  return directory;
}
