import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createMockHub } from 'opendelivery-client/testing';
import { drawOf } from '../../src/testing/random.js';
import { type Epoch, sharedClock } from '../crash/shared-clock.js';
import { programOf } from '../programs.js';
import type { KillOrders } from './kills-child.js';
import { type InboxPlace, openInbox } from './places.js';

/** A minute of the hub takes three seconds. */
const FACTOR = 20;

/** A process is killed or stopped at most this long after it has started, in ms of real time. */
const LIFE_MS = 3000;

export interface KillsReport {
  readonly breaches: readonly string[];
  readonly kills: number;
  readonly suspensions: number;
  readonly orders: number;
  readonly committed: number;
  readonly rolledBack: number;
  /** Share of the events that were acknowledged within two seconds of their first poll. */
  readonly acknowledgedInTime: number;
}

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
  const seen = new Map<string, number>();
  const inTime = { yes: 0, no: 0 };
  const server = await createListening();
  const place = placeOf(folder);
  const opened = openInbox(place);
  await opened.prepare();
  const orders: KillOrders = {
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
  const children = new Map<number, ChildProcess>();
  try {
    for (let count = 0; count < killCount + suspensions; count += 1) {
      for (const slot of [0, 1]) {
        const child = children.get(slot);
        if (!child || child.exitCode !== null || child.signalCode !== null)
          children.set(slot, await started());
      }
      const slot = count % 2;
      const victim = children.get(slot) as ChildProcess;
      await pause(Math.floor(drawOf('inbox kill', seed, count) * LIFE_MS));
      if (count % Math.ceil((killCount + suspensions) / Math.max(1, suspensions)) === 1 && suspensions > 0) {
        victim.kill('SIGSTOP');
        // Longer than the lease of 45 s.
        await pause(60_000 / FACTOR);
        victim.kill('SIGCONT');
      } else {
        victim.kill('SIGKILL');
        if (victim.exitCode === null && victim.signalCode === null) await once(victim, 'exit');
      }
    }
    over.abort();
    await emitting;
    mock.faults.random({ seed, rate: 0 });
    for (const child of children.values()) child.kill('SIGKILL');
    const last = await started({ ...orders, suicides: 0 });
    const deadline = Date.now() + 120_000;
    const isOpen = async () => {
      const { waiting, running, failed, commands } = await opened.inbox.stats();
      return (
        mock.pending().some(({ eventType }) => eventType === 'CREATED') ||
        waiting + running + failed + commands > 0
      );
    };
    while ((await isOpen()) && Date.now() < deadline) await pause(100);
    last.kill('SIGTERM');
    if (last.exitCode === null) await once(last, 'exit');
    return await report();
  } finally {
    over.abort();
    for (const child of children.values()) child.kill('SIGKILL');
    await opened.close();
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  }

  function createListening() {
    return mock.listen();
  }

  async function started(given = orders): Promise<ChildProcess> {
    const child = spawn(process.execPath, [programOf('test/inbox/kills-child.ts'), JSON.stringify(given)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await Promise.race([once(child.stdout as NodeJS.ReadableStream, 'data'), once(child, 'exit')]);
    return child;
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
    for (const { endpoint, events = [], acknowledged = [], answeredMonotonicAt = 0 } of mock.requests) {
      if (endpoint === 'polling') {
        for (const { eventId } of events) if (!seen.has(eventId)) seen.set(eventId, answeredMonotonicAt);
      }
      for (const id of acknowledged) {
        const waitedMs = answeredMonotonicAt - (seen.get(id) ?? 0);
        // A second of real time is twenty here: only the hub's own time counts.
        if (waitedMs <= 2000 * FACTOR) inTime.yes += 1;
        else inTime.no += 1;
      }
    }
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
      acknowledgedInTime: inTime.yes / Math.max(1, inTime.yes + inTime.no),
    };
  }
}
