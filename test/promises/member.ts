import {
  type EventPoller,
  HubClient,
  HubFleet,
  type LifecycleEvents,
  type State,
  type StopReport,
} from 'opendelivery-client';
import type { ManualClock, MockHub } from 'opendelivery-client/testing';
import { type Emission, type HostileHub, unreported } from './hostile-hub.js';
import { Process } from './process.js';
import type { Watch } from './watch.js';

/** Longer than any schedule with its suspensions: in the last hour the hub repeats events of the first. */
const REMEMBER_MS = 14 * 24 * 3_600_000;

/** The client remembers at least this many confirmed ids to detect a reused one. */
const KNOWN_IDS = { poller: 500, fleet: 24 };

/** What a schedule uses of a poller, or of a fleet with one store. */
export interface Polling {
  on: (name: string, listener: (event: never, context: never) => unknown) => unknown;
  start: () => Promise<unknown>;
  stop: (timeoutMs: number) => Promise<StopReport | undefined>;
  receive: (request: Request) => Promise<Response>;
  /** The store's client. */
  hub: () => HubClient;
  close: () => Promise<void>;
}

/** How a schedule breaks the client on purpose, to prove that it would be noticed. */
export interface Sabotage {
  /** Between the client and the hub. */
  readonly network?: (fetch: typeof globalThis.fetch) => typeof globalThis.fetch;
  /** Between the client and its state. */
  readonly state?: (state: State) => State;
  /** Whether what the client reports about polls is lost. */
  readonly hidesIssues?: boolean;
}

export interface MemberParts {
  readonly sabotage: Sabotage;
  /** Whether each process has a `HubClient` and its poller, or a `HubFleet` with one store. */
  readonly kind: 'poller' | 'fleet';
  readonly clock: ManualClock;
  readonly mock: MockHub;
  readonly hostile: HostileHub;
  readonly state: State;
  readonly stateDelayMs: () => number;
  readonly watch: Watch;
  /** Adds the listeners of the schedule. */
  readonly listen: (poller: Polling, process: Process) => void;
}

/** One of a store's processes, with all its restarts. */
export class Member {
  phase: 'running' | 'stopping' | 'stopped' | 'suspended' | 'dead' = 'dead';
  readonly #parts: MemberParts;
  readonly #name: number;
  #process!: Process;
  #polling!: Polling;
  /** The last response when it was suspended for long. */
  #suspendedWith: readonly Emission[] | undefined;
  /** The contents that the present client must remember for each id. */
  #known = new Map<string, Set<string>>();

  constructor(name: number, parts: MemberParts) {
    this.#name = name;
    this.#parts = parts;
    this.boot();
  }

  get hub(): HubClient {
    return this.#polling.hub();
  }

  /** A new process with a new client. */
  boot(): void {
    const { clock, mock, hostile, state, stateDelayMs, listen, kind, sabotage } = this.#parts;
    const process = new Process(this.#name, clock, sabotage.state?.(state) ?? state, stateDelayMs);
    const network = process.network(hostile.fetchFor(process));
    this.#process = process;
    const options = {
      baseUrl: mock.baseUrl,
      fetch: sabotage.network?.(network) ?? network,
      clock: process.clock,
      state: process.state,
      logger: false as const,
    };
    this.#polling = kind === 'poller' ? pollerOf(mock, options) : fleetOf(mock, options);
    this.#polling.on('error', () => {});
    this.#watchIssues(this.#polling, process);
    listen(this.#polling, process);
    this.start();
  }

  /** Starts the poller of the present client again. */
  start(): void {
    this.#parts.watch.started(this.#process);
    this.phase = 'running';
    void this.#polling.start().catch(() => {});
  }

  /** Stops the poller, and the client too if `closes`. @returns the unacknowledged ids. */
  async stop(timeoutMs: number, closes: boolean): Promise<readonly string[]> {
    this.phase = 'stopping';
    this.#parts.watch.stopping(this.#process, timeoutMs);
    const report = await this.#polling.stop(timeoutMs);
    if (closes) await this.#polling.close();
    this.phase = closes ? 'dead' : 'stopped';
    return report?.unacknowledged ?? [];
  }

  /** The hub pushes an event to the process. @returns the status; undefined if there is no response. */
  async receive(emission: Emission, request: Request): Promise<number | undefined> {
    const process = this.#process;
    if (this.phase !== 'running') return undefined;
    process.accepted.add(emission.id);
    process.pushed.add(emission);
    this.#parts.watch.pushed(emission);
    const { status } = await this.#polling.receive(request);
    process.pushed.delete(emission);
    // What it remembers of ids is no longer what its polls say.
    this.#known.clear();
    return status;
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
    this.#suspendedWith = isLong ? this.#process.response : undefined;
    if (isLong) this.mayLoseLease();
    else this.#parts.watch.mayMissReply(this.#process);
  }

  resume(): void {
    if (this.phase !== 'suspended') return;
    this.phase = 'running';
    // A response that has arrived meanwhile: the state may have counted its events, and its reply came too late.
    const { response } = this.#process;
    if (this.#suspendedWith && this.#suspendedWith !== response) this.mayLoseLease();
    this.#process.resume();
  }

  /** The process may have lost its lease without noticing. */
  mayLoseLease(): void {
    this.#parts.watch.mayLoseLease(this.#process);
  }

  #watchIssues(poller: Polling, process: Process): void {
    const { breaches } = this.#parts.watch;
    const { hidesIssues } = this.#parts.sabotage;
    const known = new Map<string, Set<string>>();
    this.#known = known;
    poller.on('polled', ({ issues }: LifecycleEvents['polled']) => {
      breaches.push(...unreported(process.response, known, hidesIssues ? [] : issues));
      for (const { id, eventId, key } of process.response) {
        process.accepted.add(id);
        const keys = (known.get(eventId) ?? new Set()).add(key);
        known.delete(eventId);
        known.set(eventId, keys);
      }
      // They are remembered in the sequence in which they are confirmed, which is not that of a response.
      if (process.response.length > KNOWN_IDS[this.#parts.kind]) known.clear();
      for (const eventId of known.keys()) {
        if (known.size <= KNOWN_IDS[this.#parts.kind]) break;
        known.delete(eventId);
      }
    });
  }
}

type Options = ConstructorParameters<typeof HubClient>[0];

const POLLER = { listenerTimeoutMs: 60_000, rememberMs: REMEMBER_MS };

function pollerOf(mock: MockHub, options: Options): Polling {
  const hub = new HubClient({ ...options, ...mock.credentials });
  const poller: EventPoller = hub.poller(POLLER);
  return {
    on: (name, listener) => poller.on(name as 'event', listener as () => void),
    start: () => poller.start(),
    stop: (timeoutMs) => poller.stop({ timeoutMs }),
    receive: (request) => poller.receive(request),
    hub: () => hub,
    close: async () => void (await hub.close()),
  };
}

function fleetOf(mock: MockHub, options: Options): Polling {
  const store = { storeId: 'the-store', ...mock.credentials };
  const fleet = new HubFleet({ ...options, stores: [store], poller: POLLER });
  return {
    on: (name, listener) => fleet.on(name as 'event', listener as () => void),
    start: () => fleet.start(),
    stop: async (timeoutMs) => (await fleet.stop({ timeoutMs })).get('the-store'),
    receive: (request) => fleet.receive('the-store', request),
    hub: () => fleet.hub('the-store'),
    close: async () => {},
  };
}
