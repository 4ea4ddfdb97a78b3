import { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { createMockHub, type JournalEntry, type MockHub } from 'opendelivery-client/testing';
import { drawOf } from '../../src/testing/random.js';
import { type Epoch, sharedClock } from '../crash/shared-clock.js';
import { programOf } from '../programs.js';
import type { KillOrders } from './kills-child.js';
import { type InboxPlace, openInbox, PROCESS_HEADER } from './places.js';

/** A minute of the hub takes three seconds. */
const FACTOR = 20;

/** Longer than the lease of 45 s, and than the other process takes to notice. */
const STOP_MS = 120_000;

/** An event is acknowledged this soon after its poll, in ms of real time. */
const IN_TIME_MS = 2000;

/** A stopped process waits at most this long for the other one to begin its order, in ms of real time. */
const TAKE_OVER_MS = 20_000;

/** In the end, something must become less within this time, in ms of real time. */
const STUCK_MS = 60_000;

/** A process is killed or stopped at most this long after it has started, in ms of real time. */
const LIFE_MS = 3000;

export interface KillsReport {
  readonly breaches: readonly string[];
  readonly kills: number;
  readonly suspensions: number;
  readonly orders: number;
  readonly committed: number;
  readonly rolledBack: number;
  /** Commits that were refused because another process had begun to handle the event meanwhile. */
  readonly overlaps: number;
  /** Of these, how many that process had begun after it had checked its lease: only the fence refused them. */
  readonly onlyByFence: number;
  /** Events in a response of a poll that reached a process which was not killed or stopped within two seconds. */
  readonly delivered: number;
  /** Share of these that the process has acknowledged within two seconds of real time. */
  readonly acknowledgedInTime: number;
}

/** A process, and when it could not do anything: it was stopped or dead. In ms of the hub's monotonic clock. */
interface Child {
  readonly name: string;
  readonly process: ChildProcess;
  readonly interruptions: { readonly from: number; until: number }[];
}

const isRunning = ({ process: { exitCode, signalCode } }: Child) => exitCode === null && signalCode === null;

/**
 * Two processes write a ticket for each order and confirm it. They are killed (SIGKILL) at random, and stopped (SIGSTOP)
 * for longer than their lease. In the end each order has one row, one ticket and one confirmation.
 */
export async function kills(
  seed: number,
  { kills: killCount, suspensions }: { readonly kills: number; readonly suspensions: number },
  placeOf: (folder: string) => InboxPlace,
): Promise<KillsReport> {
  const folder = mkdtempSync(join(tmpdir(), 'inbox-kills-'));
  const epoch: Epoch = { startedAt: Date.now(), factor: FACTOR };
  const clock = sharedClock(epoch);
  const mock = createMockHub({ clock, unansweredAfterMs: Number.POSITIVE_INFINITY });
  const server = await mock.listen();
  const place = placeOf(folder);
  const opened = openInbox(place);
  await opened.prepare();
  const orders: Omit<KillOrders, 'name'> = {
    epoch,
    state: { kind: 'file', directory: join(folder, 'state') },
    inbox: place,
    baseUrl: server.url,
    credentials: mock.credentials,
    suicides: 0.02,
  };
  mock.faults.random({ seed, rate: 0.1, types: ['reset', 'lost', 'duplicate', 'reorder'] });
  const over = new AbortController();
  const emitting = emit();
  const all: Child[] = [];
  const children = new Map<number, Child>();
  // By order: the processes that have begun to handle it, the latest one last.
  const begun = new Map<string, string[]>();
  const overlaps = { all: 0, onlyByFence: 0 };
  const lines = new EventEmitter();
  try {
    for (let count = 0; count < killCount + suspensions; count += 1) {
      await startBoth();
      await pause(Math.floor(drawOf('inbox kill', seed, count) * LIFE_MS));
      if (count % Math.ceil((killCount + suspensions) / Math.max(1, suspensions)) === 1 && suspensions > 0) {
        // In the middle of an event, or nothing could overlap: in its listener, or in its commit.
        const { child: victim, orderId } = await next('begun', children.get(count % 2) as Child);
        let stoppedIn = orderId;
        if (count % 2 === 1) {
          const stopping = next('stopping', victim);
          victim.process.kill('SIGUSR2');
          stoppedIn = (await stopping).orderId;
        }
        const stop = interrupt(victim, 'SIGSTOP');
        await pause(STOP_MS / FACTOR);
        await takenOver(stoppedIn, victim);
        stop.until = clock.monotonic();
        victim.process.kill('SIGCONT');
      } else {
        const victim = children.get(count % 2) as Child;
        interrupt(victim, 'SIGKILL');
        if (isRunning(victim)) await once(victim.process, 'exit');
      }
    }
    over.abort();
    await emitting;
    mock.faults.random({ seed, rate: 0 });
    for (const child of children.values()) interrupt(child, 'SIGKILL');
    const { process: last } = await started({ ...orders, suicides: 0 });
    const openCount = async () => {
      const { waiting, running, failed, commands } = await opened.inbox.stats();
      const pending = mock.pending().filter(({ eventType }) => eventType === 'CREATED');
      return pending.length + waiting + running + failed + commands;
    };
    // The hub's quota bounds the commands, and a slow machine has more of them left: as long as there are fewer, it goes on.
    let fewest = Number.POSITIVE_INFINITY;
    let deadline = Date.now() + STUCK_MS;
    for (let open = await openCount(); open > 0 && Date.now() < deadline; open = await openCount()) {
      if (open < fewest) deadline = Date.now() + STUCK_MS;
      fewest = Math.min(fewest, open);
      await pause(100);
    }
    last.kill('SIGTERM');
    if (last.exitCode === null) await once(last, 'exit');
    return await report();
  } finally {
    over.abort();
    for (const { process } of all) process.kill('SIGKILL');
    await opened.close();
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  }

  function interrupt({ process, interruptions }: Child, signal: NodeJS.Signals) {
    const interruption = { from: clock.monotonic(), until: Number.POSITIVE_INFINITY };
    interruptions.push(interruption);
    process.kill(signal);
    return interruption;
  }

  async function started(given = orders): Promise<Child> {
    const name = `process ${all.length}`;
    const own: KillOrders = { ...given, name };
    const child: Child = {
      name,
      process: spawn(process.execPath, [programOf('test/inbox/kills-child.ts'), JSON.stringify(own)], {
        stdio: ['ignore', 'pipe', 'inherit'],
      }),
      interruptions: [],
    };
    all.push(child);
    child.process.once('exit', () =>
      child.interruptions.push({ from: clock.monotonic(), until: Number.POSITIVE_INFINITY }),
    );
    const output = createInterface({ input: child.process.stdout as NodeJS.ReadableStream });
    output.on('line', (line) => heard(child, line));
    await Promise.race([once(output, 'line'), once(child.process, 'exit')]);
    return child;
  }

  /** The next process that says so, and of which order; without one, another. */
  async function next(what: string, other: Child): Promise<{ child: Child; orderId?: string }> {
    const heard = once(lines, what).then(([child, orderId]) => ({ child, orderId }));
    return Promise.race([heard, pause(5000, { child: other })]);
  }

  /** Another process has begun this order too, or the time is over. */
  async function takenOver(orderId: string | undefined, { name }: Child): Promise<void> {
    const isDone = () => orderId === undefined || begun.get(orderId)?.at(-1) !== name;
    for (const deadline = Date.now() + TAKE_OVER_MS; !isDone() && Date.now() < deadline; ) {
      await startBoth();
      await pause(50);
    }
  }

  /** A process that has killed itself is replaced. */
  async function startBoth(): Promise<void> {
    for (const slot of [0, 1]) {
      const child = children.get(slot);
      if (!child || !isRunning(child)) children.set(slot, await started());
    }
  }

  function heard(child: Child, line: string): void {
    const [what = '', orderId = '', when] = line.split(' ');
    const processes = begun.get(orderId) ?? [];
    if (what === 'begun') begun.set(orderId, [...processes, child.name]);
    lines.emit(what, child, orderId);
    if (what === 'refused' && processes.at(-1) !== child.name) {
      overlaps.all += 1;
      if (when === 'after-check') overlaps.onlyByFence += 1;
    }
  }

  /** Creates orders until the signal aborts. */
  async function emit(): Promise<void> {
    while (!over.signal.aborted) {
      for (let count = 0; count < 4; count += 1) mock.createOrder();
      await clock.sleep(10_000, over.signal).catch(() => {});
    }
  }

  async function report(): Promise<KillsReport> {
    const breaches: string[] = [];
    const acknowledged = acknowledgments(mock, all);
    const created = mock.emitted().filter(({ eventType }) => eventType === 'CREATED');
    const rows = await opened.rows();
    const tickets = await opened.ticketsOf();
    const confirmed = mock.emitted().filter(({ eventType }) => eventType === 'CONFIRMED');
    for (const { eventId, orderId } of created) {
      const own = rows.filter((row) => row.event_id === eventId);
      const isRolledBack = orderId.endsWith('7');
      const count = (list: readonly string[]) => list.filter((id) => id === orderId).length;
      const found = [
        own.length,
        own[0]?.status,
        count(tickets),
        count(confirmed.map((each) => each.orderId)),
      ];
      const expected = isRolledBack ? [1, 'dead', 0, 0] : [1, 'handled', 1, 1];
      if (JSON.stringify(found) !== JSON.stringify(expected)) {
        breaches.push(`${orderId}: rows, status, tickets, confirmations are ${JSON.stringify(found)}`);
      }
    }
    for (const { rule, message } of mock.violations()) breaches.push(`${rule}: ${message}`);
    return {
      breaches,
      kills: killCount,
      suspensions,
      orders: created.length,
      committed: tickets.length,
      rolledBack: created.filter(({ orderId }) => orderId.endsWith('7')).length,
      overlaps: overlaps.all,
      onlyByFence: overlaps.onlyByFence,
      ...acknowledged,
    };
  }
}

/**
 * Counts at the hub, for each event that a poll has delivered for the first time: whether the process has sent its
 * acknowledgment in time. What the faults or the kills have made impossible does not count: a response that was lost,
 * and a process that was killed or stopped within that time. An acknowledgment that the hub breaks was sent.
 */
function acknowledgments(
  { requests }: MockHub,
  children: readonly Child[],
): Pick<KillsReport, 'delivered' | 'acknowledgedInTime'> {
  const limitMs = IN_TIME_MS * FACTOR;
  const seen = new Set<string>();
  let delivered = 0;
  let inTime = 0;
  for (const { endpoint, events = [], headers, fault, status, answeredMonotonicAt = 0 } of requests) {
    if (endpoint !== 'polling' || status !== 200 || isBroken(fault)) continue;
    const name = headers[PROCESS_HEADER];
    const endsAt = answeredMonotonicAt + limitMs;
    const sent = requests.filter(
      (request) =>
        request.endpoint === 'acknowledgment' &&
        request.headers[PROCESS_HEADER] === name &&
        request.monotonicAt >= answeredMonotonicAt &&
        request.monotonicAt <= endsAt,
    );
    const isInterrupted = children
      .find((child) => child.name === name)
      ?.interruptions.some(({ from, until }) => from <= endsAt && until >= answeredMonotonicAt);
    for (const { eventId } of events) {
      if (seen.has(eventId)) continue;
      const isSent = sent.some(({ body }) => body.includes(`"${eventId}"`));
      // The process that gets it next acknowledges it.
      if (!isSent && isInterrupted) continue;
      seen.add(eventId);
      delivered += 1;
      if (isSent) inTime += 1;
    }
  }
  return { delivered, acknowledgedInTime: inTime / Math.max(1, delivered) };
}

/** Whether the fault broke the connection. Others change what is delivered. */
const isBroken = (fault: JournalEntry['fault']) => fault?.type === 'reset' || fault?.type === 'lost';
