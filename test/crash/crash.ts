import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createMockHub, type JournalEntry, type MockHub } from 'opendelivery-client/testing';
import { keyOf } from '../../src/events/read.js';
import { drawOf } from '../../src/testing/random.js';
import { programOf } from '../programs.js';
import { recalled } from '../state/calls.js';
import { limitBreaches, requestsTo } from '../support.js';
import type { ChildOrders } from './child.js';
import { type Epoch, sharedClock } from './shared-clock.js';
import { openState, type StatePlace } from './states.js';

/** A minute of the hub takes three seconds. */
const FACTOR = 20;

/** A process is killed at most this long after it has started, in ms of real time. */
const LIFE_MS = 2500;

/** This share of the kills comes while the process still starts, which takes about `START_MS`. */
const EARLY_SHARE = 0.2;
const START_MS = 800;

export interface CrashReport {
  readonly breaches: readonly string[];
  readonly kills: number;
  readonly events: number;
  /** Handled again because their listener was running when the kill came. */
  readonly wereRunning: number;
  /** Handled again because their mark was not written yet. */
  readonly wereUnmarked: number;
  readonly polls: number;
  readonly tokens: number;
}

/**
 * Kills (SIGKILL) a process that handles events, at random moments that follow
 * from a seed. After each kill it compares the hub, the process's journal and
 * its state.
 */
export async function crash(
  seed: number,
  kills: number,
  place: (folder: string) => StatePlace,
): Promise<CrashReport> {
  const folder = mkdtempSync(join(tmpdir(), 'crash-'));
  const epoch: Epoch = { startedAt: Date.now(), factor: FACTOR };
  const clock = sharedClock(epoch);
  const journal = new CrashJournal(join(folder, 'journal'));
  const mock = createMockHub({
    clock,
    unansweredAfterMs: Number.POSITIVE_INFINITY,
    onRequest: (entry) => journal.compare(entry),
  });
  const server = await mock.listen();
  const orders: ChildOrders = {
    epoch,
    place: place(folder),
    journal: journal.path,
    baseUrl: server.url,
    credentials: mock.credentials,
  };
  const over = new AbortController();
  const emitting = emit(mock, clock, over.signal);
  try {
    for (let count = 0; count < kills; count += 1) {
      const child = start(orders);
      const isEarly = drawOf('early', seed, count) < EARLY_SHARE;
      if (!isEarly) await once(child.stdout as NodeJS.ReadableStream, 'data');
      await pause(Math.floor(drawOf('crash', seed, count) * (isEarly ? START_MS : LIFE_MS)));
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      if (child.exitCode !== null)
        journal.breaches.push(`the process exited with ${child.exitCode} before the kill`);
      await journal.afterKill(orders, mock);
    }
    over.abort();
    await emitting;
    const last = start(orders);
    const deadline = Date.now() + 60_000;
    while (mock.pending().length > 0 && Date.now() < deadline) await pause(50);
    last.kill('SIGTERM');
    if (last.exitCode === null) await once(last, 'exit');
    await journal.checkMarks(orders, mock);
    return journal.report(mock, kills);
  } finally {
    over.abort();
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function start(orders: ChildOrders): ChildProcess {
  return spawn(process.execPath, [programOf('test/crash/child.ts'), JSON.stringify(orders)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

/** Creates orders until the signal aborts. */
async function emit(
  mock: MockHub,
  clock: ReturnType<typeof sharedClock>,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    for (let count = 0; count < 3; count += 1) {
      const { orderId } = mock.createOrder();
      mock.emit('CONFIRMED', { orderId });
    }
    await clock.sleep(15_000, signal).catch(() => {});
  }
}

/** Ids of events that the state has marked as handled. No process may have the state open now. */
async function marksIn(
  { place, epoch, baseUrl, credentials }: ChildOrders,
  mock: MockHub,
): Promise<ReadonlySet<string>> {
  const { state, close } = openState(place, epoch.factor);
  const scope = createHash('sha256')
    .update(`${baseUrl}/opendelivery/oauth/token\n${credentials.clientId}`)
    .digest('hex')
    .slice(0, 32);
  const keys = new Map(mock.emitted().map((event) => [keyOf(event), event.eventId]));
  const found = await recalled(state, `events:${scope}`, [...keys.keys()], sharedClock(epoch));
  await close();
  return new Set(found.map((key) => keys.get(key) ?? ''));
}

/** What the processes wrote to their journal, compared with the hub and the state. */
class CrashJournal {
  readonly path: string;
  readonly breaches: string[] = [];
  #wereRunning = 0;
  #wereUnmarked = 0;
  #read = 0;
  readonly #begun = new Map<string, number>();
  readonly #ended = new Set<string>();
  /** Ids that were handled and marked at a kill: they must not be handled again. */
  readonly #marked = new Set<string>();
  /** Ids that may be handled again after a kill, and why. */
  #mayRepeat = new Map<string, 'running' | 'unmarked'>();

  constructor(path: string) {
    this.path = path;
  }

  /** Called when the hub has responded to a request. */
  compare({ endpoint, acknowledged = [] }: JournalEntry): void {
    if (endpoint !== 'acknowledgment' || acknowledged.length === 0) return;
    this.#readOn();
    for (const id of acknowledged) {
      if (!this.#ended.has(id)) this.breaches.push(`${id} was acknowledged before it was handled`);
    }
  }

  async afterKill(orders: ChildOrders, mock: MockHub): Promise<void> {
    this.#readOn();
    const marked = await marksIn(orders, mock);
    this.#mayRepeat = new Map();
    for (const id of this.#begun.keys()) {
      if (!this.#ended.has(id)) this.#mayRepeat.set(id, 'running');
      else if (marked.has(id)) this.#marked.add(id);
      else this.#mayRepeat.set(id, 'unmarked');
    }
  }

  /**
   * In the end every event has its mark in the state. Without this check, a test that looked for marks in the
   * wrong place would not find any after the kills either, and would prove nothing.
   */
  async checkMarks(orders: ChildOrders, mock: MockHub): Promise<void> {
    const marked = await marksIn(orders, mock);
    const unmarked = mock.emitted().filter(({ eventId }) => !marked.has(eventId));
    for (const { eventId } of unmarked) this.breaches.push(`${eventId} has no mark in the state at the end`);
  }

  report(mock: MockHub, kills: number): CrashReport {
    this.#readOn();
    for (const { eventId } of mock.pending()) this.breaches.push(`${eventId} is left at the hub`);
    for (const { eventId } of mock.emitted()) {
      if (!this.#ended.has(eventId)) this.breaches.push(`${eventId} was never handled`);
    }
    this.breaches.push(...limitBreaches(mock.requests));
    for (const { rule, message } of mock.violations()) this.breaches.push(`${rule}: ${message}`);
    return {
      breaches: this.breaches,
      kills,
      events: mock.emitted().length,
      wereRunning: this.#wereRunning,
      wereUnmarked: this.#wereUnmarked,
      polls: requestsTo(mock, 'polling').length,
      tokens: requestsTo(mock, 'token').length,
    };
  }

  #readOn(): void {
    if (!existsSync(this.path)) return;
    const text = readFileSync(this.path, 'utf8');
    const end = text.lastIndexOf('\n') + 1;
    for (const line of text.slice(this.#read, end).split('\n')) this.#add(line);
    this.#read = end;
  }

  #add(line: string): void {
    const [what, id = ''] = line.split(' ');
    if (what === 'end') this.#ended.add(id);
    if (what !== 'begin') return;
    const before = this.#begun.get(id) ?? 0;
    this.#begun.set(id, before + 1);
    if (before === 0) return;
    const reason = this.#mayRepeat.get(id);
    this.#mayRepeat.delete(id);
    if (this.#marked.has(id)) this.breaches.push(`${id} was handled again although its mark was written`);
    else if (reason === 'running') this.#wereRunning += 1;
    else if (reason === 'unmarked') this.#wereUnmarked += 1;
    else this.breaches.push(`${id} was handled again without a kill`);
  }
}
