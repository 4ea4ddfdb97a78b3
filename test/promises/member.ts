import { type EventPoller, HubClient, type State } from 'opendelivery-client';
import type { ManualClock, MockHub } from 'opendelivery-client/testing';
import { type HostileHub, unreported } from './hostile-hub.js';
import { Process } from './process.js';
import type { Watch } from './watch.js';

/** Longer than any schedule with its suspensions: in the last hour the hub repeats events of the first. */
const REMEMBER_MS = 7 * 24 * 3_600_000;

/** The client remembers more confirmed ids than this to detect a reused one. */
const KNOWN_IDS = 500;

export interface MemberParts {
  readonly clock: ManualClock;
  readonly mock: MockHub;
  readonly hostile: HostileHub;
  readonly state: State;
  readonly stateDelayMs: () => number;
  readonly watch: Watch;
  /** Adds the listeners of the schedule. */
  readonly listen: (poller: EventPoller, process: Process) => void;
}

/** One of a store's processes, with all its restarts. */
export class Member {
  phase: 'running' | 'stopping' | 'stopped' | 'suspended' | 'dead' = 'dead';
  readonly #parts: MemberParts;
  readonly #name: number;
  #process!: Process;
  #hub!: HubClient;
  #poller!: EventPoller;

  constructor(name: number, parts: MemberParts) {
    this.#name = name;
    this.#parts = parts;
    this.boot();
  }

  get hub(): HubClient {
    return this.#hub;
  }

  /** A new process with a new client. */
  boot(): void {
    const { clock, mock, hostile, state, stateDelayMs, listen } = this.#parts;
    const process = new Process(this.#name, clock, state, stateDelayMs);
    this.#process = process;
    this.#hub = new HubClient({
      baseUrl: mock.baseUrl,
      ...mock.credentials,
      fetch: process.network(hostile.fetchFor(process)),
      clock: process.clock,
      state: process.state,
      logger: false,
    });
    this.#poller = this.#hub.poller({ listenerTimeoutMs: 60_000, rememberMs: REMEMBER_MS });
    this.#poller.on('error', () => {});
    this.#watchIssues(this.#poller, process);
    listen(this.#poller, process);
    this.start();
  }

  /** Starts the poller of the present client again. */
  start(): void {
    this.#parts.watch.started(this.#process);
    this.phase = 'running';
    void this.#poller.start().catch(() => {});
  }

  /** Stops the poller, and the client too if `closes`. @returns the unacknowledged ids. */
  async stop(timeoutMs: number, closes: boolean): Promise<readonly string[]> {
    this.phase = 'stopping';
    this.#parts.watch.stopping(this.#process, timeoutMs);
    const { unacknowledged } = await this.#poller.stop({ timeoutMs });
    if (closes) await this.#hub.close();
    this.phase = closes ? 'dead' : 'stopped';
    return unacknowledged;
  }

  kill(): void {
    this.phase = 'dead';
    this.#process.kill();
    this.#parts.watch.killed(this.#process);
  }

  /** @param isLong - whether the lease may end meanwhile. */
  suspend(isLong: boolean): void {
    this.phase = 'suspended';
    this.#process.suspend();
    if (isLong) this.mayLoseLease();
  }

  resume(): void {
    if (this.phase !== 'suspended') return;
    this.phase = 'running';
    this.#process.resume();
  }

  /** The process may have lost its lease without noticing. */
  mayLoseLease(): void {
    this.#parts.watch.mayLoseLease(this.#process);
  }

  #watchIssues(poller: EventPoller, process: Process): void {
    const { breaches } = this.#parts.watch;
    const known = new Map<string, Set<string>>();
    poller.on('polled', ({ issues }) => {
      breaches.push(...unreported(process.response, known, issues));
      for (const { id, eventId, key } of process.response) {
        process.accepted.add(id);
        const keys = (known.get(eventId) ?? new Set()).add(key);
        known.delete(eventId);
        known.set(eventId, keys);
      }
      for (const eventId of known.keys()) {
        if (known.size <= KNOWN_IDS) break;
        known.delete(eventId);
      }
    });
  }
}
