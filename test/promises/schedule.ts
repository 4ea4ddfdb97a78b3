import { type EventContext, memoryState, type OrderEvent, type State } from 'opendelivery-client';
import { createMockHub, type JournalEntry, ManualClock, type MockHub } from 'opendelivery-client/testing';
import { drawOf } from '../../src/testing/random.js';
import { limitBreaches } from '../support.js';
import { HostileHub, WATCHED_TYPES } from './hostile-hub.js';
import { Member, type MemberParts, type Polling, type Sabotage } from './member.js';
import type { Process } from './process.js';
import { Pushes } from './pushes.js';
import { Traffic } from './traffic.js';
import { Watch } from './watch.js';

const HOUR_MS = 3_600_000;

/** The result of one schedule; `breaches` must be empty. */
export interface ScheduleResult {
  readonly breaches: string[];
  readonly events: number;
  /** Events with an id that an earlier one had. */
  readonly reused: number;
  readonly requests: number;
  readonly failures: number;
  /** Pushes that were answered with 200; a quarter of the seeds have pushes. */
  readonly pushes: number;
  readonly restarts: number;
  readonly kills: number;
  readonly suspensions: number;
  /** Runs at the same time as a run of a process that was suspended past its lease, or whose stop timed out. */
  readonly overlaps: number;
}

/** A holder renews its lease of 45 s every 15 s while listeners run: a short suspension never ends it. */
const SHORT_SUSPENSION_MS = 25_000;
const LONG_SUSPENSION_MS = 46_000;

/**
 * Virtual hours of a store in which everything goes wrong: faults at every
 * endpoint, latency, clock steps, revoked tokens, a hub that uses ids twice and
 * sends types in any letter case, listeners that fail, are slow or hang, and up
 * to four processes that are stopped, killed and suspended. The same seed gives
 * the same schedule.
 */
export async function runSchedule(
  seed: number,
  hours: number,
  kind: MemberParts['kind'] = 'poller',
  sabotage: Sabotage = {},
  state: State = memoryState(),
): Promise<ScheduleResult> {
  const { random } = Math;
  let jitters = 0;
  // The jitter depends on the seed too, so that a failing schedule can be repeated.
  Math.random = () => drawOf('jitter', seed, (jitters += 1));
  return play(seed, hours, kind, sabotage, state).finally(() => {
    Math.random = random;
  });
}

async function play(
  seed: number,
  hours: number,
  kind: MemberParts['kind'],
  sabotage: Sabotage,
  state: State,
): Promise<ScheduleResult> {
  const breaches: string[] = [];
  let draws = 0;
  const draw = () => drawOf('schedule', seed, (draws += 1));
  const pick = <T>(list: readonly T[]): T => list[Math.floor(draw() * list.length)] as T;
  const clock = new ManualClock();
  // The mock's journal drops the oldest entries.
  const requests: JournalEntry[] = [];
  const mock = createMockHub({
    clock,
    unansweredAfterMs: Number.POSITIVE_INFINITY, // the listeners send no commands
    onRequest: (entry) => {
      requests.push(entry);
      watch.responded(entry, hostile);
    },
    latencyMs: () => Math.floor(draw() ** 4 * 8000),
    order: draw() < 0.5 ? 'oldest' : 'shuffled',
    emptyPoll: draw() < 0.5 ? '204' : '[]',
    limitHeaders: draw() < 0.7,
    retryAfter: draw() < 0.5 ? 'seconds' : 'date',
    tokenLifetimeMs: Math.floor((1 + draw() * 47) * HOUR_MS),
  });
  mock.faults.random({ seed, rate: draw() * 0.3 });
  const hostile = new HostileHub(
    mock,
    { isCareless: draw() < 0.5, spelling: pick(['upper', 'lower', 'mixed'] as const) },
    breaches,
  );
  // Either one listener for all types, or one for each known type and a second one for some.
  const isForAll = draw() < 0.4;
  const watch = new Watch(clock, (type) => listenersOf(type, isForAll), breaches);
  const stateDelayRate = draw() < 0.5 ? 0 : 0.1;
  const releases: (() => void)[] = [];
  let calm = false;

  const pushes = new Pushes({ seed, clock, mock, members: () => members });
  const traffic = new Traffic({
    hostile,
    watch,
    draw,
    onEmitted: (emission) => {
      if (seed % 4 === 0) void pushes.emitted(emission);
    },
    reuseRate: draw() * 0.3,
  });

  const work = async ({ clock }: Process) => {
    const luck = calm ? 1 : draw();
    if (luck < 0.05) throw new Error('refused at once');
    if (luck < 0.3) await clock.sleep(Math.floor(draw() * 5000));
    else if (luck < 0.36) await clock.sleep(Math.floor(draw() * 120_000));
    else if (luck < 0.37) await new Promise<void>((resolve) => releases.push(resolve));
    if (luck < 0.12) throw new Error('refused late');
  };
  const listenerOf = (process: Process) => async (event: OrderEvent, context: EventContext) => {
    const run = watch.begin(process, event, context);
    if (!run) return;
    try {
      await work(process);
      await process.turn();
    } catch (error) {
      watch.end(run, false);
      throw error;
    }
    watch.end(run, true);
  };

  const parts: MemberParts = {
    kind,
    sabotage,
    clock,
    mock,
    hostile,
    watch,
    state,
    stateDelayMs: () => (draw() < stateDelayRate ? Math.floor(draw() * 300) : 0),
    listen: (poller: Polling, process: Process) => {
      const names = isForAll ? ['event'] : [...WATCHED_TYPES, 'SOMETHING_NEW'];
      for (const name of names) {
        for (let count = listenersOf(name, isForAll); count > 0; count -= 1)
          poller.on(name, listenerOf(process));
      }
    },
  };
  const members = Array.from({ length: Math.ceil(draw() * 4) }, (_, name) => new Member(name, parts));
  const counts = { restarts: 0, kills: 0, suspensions: 0 };

  const disturb = (member: Member) => {
    const what = draw();
    const afterMs = draw() * 60_000;
    const extent = draw();
    const isEnd = draw() < 0.5;
    if (what > 0.03) return;
    void clock.sleep(afterMs).then(async () => {
      if (calm || member.phase !== 'running') return;
      if (what < 0.007) {
        counts.kills += 1;
        member.kill();
      } else if (what < 0.015) {
        counts.restarts += 1;
        await member.stop(Math.floor(extent * 20_000), isEnd);
      } else {
        counts.suspensions += 1;
        const isLong = what < 0.02;
        member.suspend(isLong);
        await clock.sleep(isLong ? LONG_SUSPENSION_MS + extent * 900_000 : extent * SHORT_SUSPENSION_MS);
        member.resume();
      }
    });
  };

  for (let minute = 0; minute < hours * 60; minute += 1) {
    if (draw() < 0.15) traffic.createOrder();
    for (let count = Math.floor(draw() ** 6 * 12); count > 0; count -= 1) traffic.emit();
    if (draw() < 0.01) redeliverOne(mock, draw);
    if (draw() < 0.004) mock.revokeTokens();
    if (draw() < 0.004) clock.step(Math.floor((draw() - 0.5) * 4 * HOUR_MS));
    if (draw() < 0.003) {
      for (const member of members) if (member.phase !== 'dead') member.mayLoseLease();
      await clock.suspend(Math.floor(draw() * 2 * HOUR_MS));
    }
    const { hub } = members[0] as Member;
    if (draw() < 0.01) void hub.merchant.get({ fresh: draw() < 0.3 }).catch(() => {});
    if (draw() < 0.02) void hub.orders.get(traffic.lastOrder ?? 'x').catch(() => {});
    if (draw() < 0.01) mock.publishMerchant({ status: draw() < 0.5 ? 'AVAILABLE' : 'UNAVAILABLE' });
    for (const member of members) {
      const starts = draw() < 0.4;
      if (member.phase === 'dead' && starts) member.boot();
      else if (member.phase === 'stopped' && starts) member.start();
      else disturb(member);
    }
    if (draw() < 0.02 && releases.length > 0) releases.shift()?.();
    await clock.advance('1m');
  }

  calm = true;
  mock.faults.clear();
  for (const release of releases) release();
  for (const member of members) member.resume();
  await clock.advance('1m');
  for (const member of members) {
    if (member.phase === 'dead') member.boot();
    else if (member.phase === 'stopped') member.start();
  }
  await clock.advance('1h');
  const [last, ...others] = members as [Member, ...Member[]];
  for (const other of others) void other.stop(30_000, true);
  await clock.advance('2h');
  const stopped = last.stop(30_000, true);
  await clock.advance('1m');
  const left = await stopped;

  // A process does not know of the acknowledgments of others.
  if (others.length === 0 && left.length > 0) breaches.push(`${left.length} events are left at the end`);
  watch.finish(hostile);
  checkHub(mock, requests, breaches);
  return {
    breaches,
    events: hostile.emissions.length,
    reused: traffic.reused,
    requests: requests.length,
    failures: watch.failures,
    pushes: pushes.handled,
    ...counts,
    overlaps: watch.overlaps,
  };
}

/** How many listeners there are for a type. */
function listenersOf(type: string, isForAll: boolean): number {
  if (isForAll) return 1;
  if (type === 'CONFIRMED' || type === 'READY_FOR_PICKUP') return 2;
  return type === 'UNWATCHED' ? 0 : 1;
}

function redeliverOne(mock: MockHub, draw: () => number): void {
  const done = mock.acknowledged();
  const one = done[Math.floor(draw() * done.length)];
  if (one) mock.redeliver(one.eventId);
}

/** Checks the promises that are counted at the hub, for all processes together. */
function checkHub(mock: MockHub, requests: readonly JournalEntry[], breaches: string[]): void {
  for (const { eventId } of mock.pending()) breaches.push(`${eventId} is still at the hub`);
  breaches.push(...limitBreaches(requests));
  for (const { rule, message } of mock.violations()) breaches.push(`${rule}: ${message}`);
}
