import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { Clock } from 'opendelivery-client';
import { createMockHub, type JournalEntry, type MockHub } from 'opendelivery-client/testing';
import { Client } from 'pg';
import { findDriver } from '../../src/state/sqlite/driver.js';
import { type Epoch, sharedClock } from '../crash/shared-clock.js';
import type { StatePlace } from '../crash/states.js';
import { programOf } from '../programs.js';
import { soon } from '../soon.js';
import type { PostgresServer } from '../state/postgres/start.js';
import type { ChildOrders } from './child.js';
import { emitOrders } from './emit.js';
import { Register } from './register.js';
import { Journal } from './runs.js';

/** A minute of the hub takes 2.4 seconds, the lease of 45 s takes 1.8. */
export const FACTOR = 25;

/** How long the test waits for something to happen, in ms of real time. */
const DEADLINE_MS = 60_000;

/** What the processes share: a Redis, a Postgres with the tables of the state, or the file of a directory of their own. */
export type SharedState = { readonly socketPath: string } | Pick<PostgresServer, 'address'> | 'file';

export interface PackOptions extends Pick<ChildOrders, 'runMs' | 'longShare' | 'concurrency'> {
  readonly shared: SharedState;
  readonly size: number;
}

export interface Member {
  readonly pid: number;
  readonly child: ChildProcess;
  readonly journal: Journal;
  /** Resolves when it polls or is on standby, or has ended. */
  readonly ready: Promise<unknown>;
  /** Resolves with its exit code; null if it was killed. */
  readonly ended: Promise<number | null>;
}

/** A poll as it arrived at the hub, in virtual ms. */
export interface Poll {
  readonly at: number;
  readonly pid: number;
}

/** Several processes that share one store, their hub, and the records of what they did. */
export class Pack {
  readonly clock: Clock;
  readonly mock: MockHub;
  readonly register = new Register();
  readonly polls: Poll[] = [];
  readonly requests: JournalEntry[] = [];
  readonly breaches: string[] = [];
  /** From spawn to ready, in ms of real time. */
  readonly startUps: number[] = [];
  readonly members = new Set<Member>();
  readonly journals: Journal[] = [];
  readonly place: StatePlace;
  /** Of the hub, once it listens. */
  baseUrl = '';
  readonly #options: PackOptions;
  readonly #folder = mkdtempSync(join(tmpdir(), 'lease-'));
  readonly #epoch: Epoch = { startedAt: Date.now(), factor: FACTOR };
  readonly #handled = new Set<string>();
  readonly #emitting = new AbortController();
  #emitted: Promise<void> = Promise.resolve();
  #close: () => Promise<void> = async () => {};
  #registerUrl = '';

  constructor(options: PackOptions) {
    this.#options = options;
    this.clock = sharedClock(this.#epoch);
    this.mock = createMockHub({
      clock: this.clock,
      unansweredAfterMs: Number.POSITIVE_INFINITY,
      onRequest: (entry) => this.#requested(entry),
    });
    this.place = placeOf(options.shared, this.#folder);
  }

  /** Resolves when all processes are ready. */
  async start(): Promise<void> {
    const hub = await this.mock.listen();
    this.#close = () => hub.close();
    this.baseUrl = hub.url;
    this.#registerUrl = await this.register.listen();
    this.#emitted = emitOrders(this.mock, this.clock, this.#emitting.signal);
    await Promise.all(Array.from({ length: this.#options.size }, () => this.add()));
  }

  /** Starts another process; resolves when it polls or is on standby. */
  async add(): Promise<Member> {
    const spawnedAt = Date.now();
    const member = this.spawn();
    await member.ready;
    this.startUps.push(Date.now() - spawnedAt);
    return member;
  }

  /** Starts another process, and does not wait until it is ready. */
  spawn(): Member {
    const { runMs, longShare, concurrency } = this.#options;
    const path = join(this.#folder, `${this.journals.length}.journal`);
    const orders: ChildOrders = {
      epoch: this.#epoch,
      place: this.place,
      journal: path,
      baseUrl: this.baseUrl,
      registerUrl: this.#registerUrl,
      credentials: this.mock.credentials,
      runMs,
      longShare,
      concurrency,
    };
    const child = spawn(process.execPath, [programOf('test/lease/child.ts'), JSON.stringify(orders)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const pid = child.pid as number;
    const ended = once(child, 'exit').then(([code]) => code as number | null);
    const ready = Promise.race([once(createInterface({ input: child.stdout }), 'line'), ended]);
    const member = { pid, child, journal: new Journal(path, pid), ready, ended };
    void ended.then((code) => {
      if (this.members.has(member)) this.breaches.push(`a process exited with ${code} and was not told to`);
    });
    this.members.add(member);
    this.journals.push(member.journal);
    return member;
  }

  /** The process that polled last; undefined if it is dead. */
  get holder(): Member | undefined {
    const pid = this.polls.at(-1)?.pid;
    return [...this.members].find((member) => member.pid === pid);
  }

  /** The first poll that arrives after that instant from a process other than `pid`. */
  async pollAfter(at: number, pid?: number): Promise<Poll> {
    const isMatch = (poll: Poll) => poll.at > at && poll.pid !== pid;
    await this.until('another poll', () => this.polls.some(isMatch));
    return this.polls.find(isMatch) as Poll;
  }

  nextPoll(): Promise<Poll> {
    return this.pollAfter(this.polls.at(-1)?.at ?? 0);
  }

  /** Kills it (SIGKILL); resolves with the virtual instant of the kill. */
  async kill(member: Member): Promise<number> {
    const at = this.clock.monotonic();
    member.child.kill('SIGKILL');
    const killedAt = process.hrtime.bigint();
    this.members.delete(member);
    await member.ended;
    member.journal.killedAt(killedAt);
    return at;
  }

  /** Ends it (SIGTERM): it stops its poller, releases the lease and exits. */
  async retire(member: Member): Promise<void> {
    member.child.kill('SIGTERM');
    this.members.delete(member);
    const code = await member.ended;
    if (code !== 0) this.breaches.push(`a process exited with ${code} after SIGTERM`);
    member.journal.update();
  }

  /** How much of the lease is left by the clock of the state, in ms of real time; 0 if no process has it. */
  async leaseLeftMs(): Promise<number> {
    return Math.max(0, await leaseLeftMsIn(this.place, this.clock));
  }

  update(): void {
    for (const journal of this.journals) journal.update();
  }

  async until(what: string, isTrue: () => boolean): Promise<void> {
    const deadline = Date.now() + DEADLINE_MS;
    while (!isTrue()) {
      if (Date.now() > deadline)
        throw new Error([`waited ${DEADLINE_MS} ms for ${what}`, ...this.breaches].join('; '));
      await pause(5);
    }
  }

  /** Creates no more orders, waits until every event is confirmed, then ends all processes. */
  async finish(): Promise<void> {
    this.#emitting.abort();
    await this.#emitted;
    await this.until('the hub to have no events left', () => this.mock.pending().length === 0);
    await Promise.all([...this.members].map((member) => this.retire(member)));
    this.update();
  }

  async close(): Promise<void> {
    this.#emitting.abort();
    for (const { child } of this.members) child.kill('SIGKILL');
    await Promise.all([this.#close(), this.register.close()]);
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #requested(entry: JournalEntry): void {
    this.requests.push(entry);
    if (entry.endpoint === 'polling') {
      const pid = Number(/ process\/(\d+)/.exec(entry.headers['user-agent'] ?? '')?.[1]);
      this.polls.push({ at: entry.monotonicAt, pid });
    }
    for (const id of entry.acknowledged ?? []) this.#acknowledged(id);
  }

  #acknowledged(id: string): void {
    if (this.#handled.has(id)) return;
    this.update();
    for (const { runs } of this.journals) {
      for (const { eventId, how } of runs) if (how === 'end') this.#handled.add(eventId);
    }
    if (!this.#handled.has(id)) this.breaches.push(`${id} was acknowledged before it was handled`);
  }
}

async function leaseLeftInRedis({ socketPath, prefix }: StatePlace & { kind: 'redis' }): Promise<number> {
  const redis = new Redis(socketPath);
  const [key = ''] = await redis.keys(`${prefix}lease:*`);
  const [until, [seconds, micros]] = await Promise.all([redis.hget(key, 'until'), redis.time()]);
  redis.disconnect();
  return Number(until) - Number(seconds) * 1000 - Number(micros) / 1000;
}

function placeOf(shared: SharedState, folder: string): StatePlace {
  if (shared === 'file') return { kind: 'file', directory: join(folder, 'state') };
  if ('address' in shared) return { kind: 'postgres', address: shared.address };
  return { kind: 'redis', socketPath: shared.socketPath, prefix: `${folder}:` };
}

/** In ms of real time. */
async function leaseLeftMsIn(place: StatePlace, clock: Clock): Promise<number> {
  if (place.kind === 'file') {
    // A process that stands still, or was killed, may leave the file locked for a moment.
    const endsAt = await soon(() => leaseEndIn(place.directory));
    return (endsAt - clock.now()) / FACTOR;
  }
  return place.kind === 'redis' ? leaseLeftInRedis(place) : leaseLeftInPostgres(place.address);
}

async function leaseLeftInPostgres(address: PostgresServer['address']): Promise<number> {
  const client = new Client(address);
  await client.connect();
  const text =
    'select extract(epoch from max(ends_at) - clock_timestamp()) * 1000 as left_ms from opendelivery.state_leases';
  const { rows } = await client.query(text);
  await client.end();
  return Number(rows[0].left_ms);
}

/** Epoch ms. */
function leaseEndIn(directory: string): number {
  const database = findDriver().open(join(directory, 'state.db'));
  try {
    const row = database.prepare('SELECT max(lease_ends) AS ends FROM quotas').get();
    return (row as { readonly ends: number }).ends;
  } finally {
    database.close();
  }
}
