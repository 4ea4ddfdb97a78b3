import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { createMockHub, type HubEvent, type JournalEntry, type MockHub } from 'opendelivery-client/testing';
import { programOf } from '../../programs.js';
import type { RedisServer, StartRedis } from '../../state/redis/server.js';
import type { MemberOrders } from './member.js';
import { MemberJournal } from './member-journal.js';
import { storeIdOf, storesOf } from './stores.js';

export const SIZE = 4;
export const STORES = 300;
export const SHARDS = 64;

/** How long the test waits for something to happen, in ms. */
const DEADLINE_MS = 180_000;

const NEW_ORDER_EVERY_MS = 200;
const RUN_MS = 2000;

export interface Member {
  readonly pid: number;
  readonly child: ChildProcess;
  readonly journal: MemberJournal;
}

/** A poll as it arrived at the hub. */
export interface Poll {
  /** Nanoseconds of the machine's monotonic clock. */
  readonly at: bigint;
  readonly storeId: string;
  readonly pid: number;
}

/** Several processes with the same stores, a Redis and a hub, all in real time, and the records of what they did. */
export class Crew {
  readonly mock: MockHub;
  readonly redis: RedisServer;
  readonly polls: Poll[] = [];
  readonly requests: JournalEntry[] = [];
  /** When the hub received an acknowledgment of an event for the first time. */
  readonly acknowledgedAt = new Map<string, bigint>();
  readonly members = new Set<Member>();
  readonly journals: MemberJournal[] = [];
  readonly breaches: string[] = [];
  readonly lockMs: number;
  readonly client: Redis;
  readonly #folder = mkdtempSync(join(tmpdir(), 'crew-'));
  readonly #emitting = new AbortController();
  #hub: { readonly url: string; close(): Promise<void> } | undefined;

  private constructor(redis: RedisServer, lockMs: number) {
    this.redis = redis;
    this.lockMs = lockMs;
    this.client = new Redis(redis.socketPath);
    this.client.on('error', () => {});
    this.mock = createMockHub({
      unansweredAfterMs: Number.POSITIVE_INFINITY,
      onRequest: (entry) => this.#requested(entry),
    });
    for (const { clientId, clientSecret } of storesOf(STORES)) {
      this.mock.addStore({ clientId, clientSecret: clientSecret as string, apiKey: `key-of-${clientId}` });
    }
  }

  /** Resolves when the processes hold all shards. */
  static async start(
    startRedis: StartRedis,
    lockMs: number,
    ...redisOptions: readonly string[]
  ): Promise<Crew> {
    const crew = new Crew(await startRedis(...redisOptions), lockMs);
    try {
      crew.#hub = await crew.mock.listen();
      await Promise.all(Array.from({ length: SIZE }, () => crew.add()));
      void crew.#emit();
      await crew.even();
      return crew;
    } catch (error) {
      await crew.close();
      throw error;
    }
  }

  async add(): Promise<Member> {
    const path = join(this.#folder, `${this.journals.length}.journal`);
    const orders: MemberOrders = {
      socketPath: this.redis.socketPath,
      baseUrl: this.#hub?.url ?? '',
      journal: path,
      stores: STORES,
      shards: SHARDS,
      lockMs: this.lockMs,
      runMs: RUN_MS,
    };
    const child = spawn(
      process.execPath,
      [programOf('test/fleet/bullmq/member.ts'), JSON.stringify(orders)],
      {
        stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
      },
    );
    const member = { pid: child.pid as number, child, journal: new MemberJournal(path, child.pid as number) };
    this.members.add(member);
    this.journals.push(member.journal);
    await Promise.race([
      once(createInterface({ input: child.stdout as NodeJS.ReadableStream }), 'line'),
      once(child, 'exit'),
    ]);
    if (child.exitCode !== null) this.breaches.push(`a process exited with ${child.exitCode} at its start`);
    return member;
  }

  /** SIGKILL. */
  async kill(member: Member): Promise<void> {
    const ended = once(member.child, 'exit');
    member.child.kill('SIGKILL');
    const killedAt = process.hrtime.bigint();
    this.members.delete(member);
    await ended;
    member.journal.killedAt(killedAt);
  }

  /** SIGSTOP, and SIGCONT after so long. */
  async suspend(member: Member, forMs: number): Promise<void> {
    member.child.kill('SIGSTOP');
    await pause(forMs);
    member.child.kill('SIGCONT');
  }

  /** SIGTERM; resolves when the process has ended, with how long that took in ms. */
  async retire(member: Member): Promise<number> {
    const from = performance.now();
    const ended = once(member.child, 'exit');
    member.child.kill('SIGTERM');
    this.members.delete(member);
    const [code] = await ended;
    if (code !== 0) this.breaches.push(`a process exited with ${code} after SIGTERM`);
    member.journal.update();
    return performance.now() - from;
  }

  /** Resolves when every store was polled after now, with how long that took for the last one, in ms. */
  async pollOfEach(): Promise<number> {
    const from = process.hrtime.bigint();
    const waiting = new Set(storesOf(STORES).map(({ storeId }) => storeId));
    let seen = this.polls.length;
    let last = from;
    await this.until('a poll of each store', () => {
      for (const { storeId, at } of this.polls.slice(seen)) if (waiting.delete(storeId)) last = at;
      seen = this.polls.length;
      return waiting.size === 0;
    });
    return Number(last - from) / 1e6;
  }

  /** Resolves when the shards are even, with how long that took in ms. */
  async even(): Promise<number> {
    const from = performance.now();
    await this.until('even shards', () => {
      const held = this.update();
      const isEven = Math.max(...held) - Math.min(...held) <= 1;
      return isEven && held.reduce((sum, shards) => sum + shards, 0) === SHARDS;
    });
    return performance.now() - from;
  }

  /** All events of all stores. */
  get emitted(): HubEvent[] {
    return storesOf(STORES).flatMap(({ clientId }) => this.mock.emitted(clientId));
  }

  /** The events that are not acknowledged. */
  get pending(): HubEvent[] {
    return storesOf(STORES).flatMap(({ clientId }) => this.mock.pending(clientId));
  }

  /** Reads the journals. @returns how many shards each process holds. */
  update(): number[] {
    for (const journal of this.journals) journal.update();
    return [...this.members].map(({ journal }) => journal.health?.shards ?? 0);
  }

  async until(what: string, isTrue: () => boolean): Promise<void> {
    const deadline = performance.now() + DEADLINE_MS;
    while (!isTrue()) {
      if (performance.now() > deadline) {
        const now = [...this.members].map(({ pid, journal }) => `${pid} ${JSON.stringify(journal.health)}`);
        throw new Error(`waited ${DEADLINE_MS} ms for ${what}; ${now.join(', ')}`);
      }
      await pause(50);
    }
  }

  /** Creates no more orders, waits until every event is acknowledged, and ends all processes. */
  async finish(): Promise<void> {
    this.#emitting.abort();
    await this.until('the hub to have no events left', () => this.pending.length === 0);
    await Promise.all([...this.members].map((member) => this.retire(member)));
    this.update();
  }

  async close(): Promise<void> {
    this.#emitting.abort();
    for (const { child } of this.members) child.kill('SIGKILL');
    this.client.disconnect();
    await Promise.all([this.#hub?.close(), this.redis.close()]);
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #emit(): Promise<void> {
    const all = storesOf(STORES);
    for (let index = 0; !this.#emitting.signal.aborted; index += 7) {
      this.mock.createOrder({ clientId: (all[index % STORES] as { clientId: string }).clientId });
      await pause(NEW_ORDER_EVERY_MS);
    }
  }

  #requested(entry: JournalEntry): void {
    const at = process.hrtime.bigint();
    this.requests.push(entry);
    if (entry.endpoint === 'polling' && entry.clientId !== undefined) {
      const pid = Number(/ process\/(\d+)/.exec(entry.headers['user-agent'] ?? '')?.[1]);
      this.polls.push({ at, storeId: storeIdOf(entry.clientId), pid });
    }
    for (const id of entry.acknowledged ?? []) {
      if (!this.acknowledgedAt.has(id)) this.acknowledgedAt.set(id, at);
    }
  }
}
