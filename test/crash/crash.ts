import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { keyOf } from '../../src/events/read.js';
import { drawOf } from '../../src/testing/random.js';
import { breachesOf, runsOf, sizeOf } from '../lease/figures.js';
import { FACTOR, type Member, Pack, type SharedState } from '../lease/pack.js';
import { RUN_MS } from '../lease/phase.js';
import { recalled } from '../state/calls.js';
import { openState } from './states.js';

/** A process is killed at most this long after it is ready, in ms of real time. */
const LIFE_MS = 2500;

/** Each process finds this many orders more than those that come all the time, so that kills come while listeners run. */
const NEW_ORDERS = 5;

/** This share of the kills comes while the process still starts, which takes about `START_MS`. */
const EARLY_SHARE = 0.2;
const START_MS = 800;

/**
 * Kills (SIGKILL) the only process of a store again and again, at random moments that follow from a seed, and starts
 * another one. After each kill, the journal of the process is compared with the marks in the state.
 */
export async function crash(seed: number, kills: number, shared: SharedState) {
  const pack = new Pack({ shared, size: 0, runMs: RUN_MS, longShare: 0, concurrency: 8 });
  const repeated: string[] = [];
  let marked: ReadonlySet<string> = new Set();
  try {
    await pack.start();
    for (let count = 0; count < kills; count += 1) {
      for (let order = 0; order < NEW_ORDERS; order += 1) pack.mock.createOrder();
      const member = pack.spawn();
      const isEarly = drawOf('early', seed, count) < EARLY_SHARE;
      if (!isEarly) await member.ready;
      await pause(drawOf('crash', seed, count) * (isEarly ? START_MS : LIFE_MS));
      await pack.kill(member);
      repeated.push(...needlessRuns(member, marked));
      marked = await marksIn(pack);
    }
    const last = await pack.add();
    await pack.finish();
    repeated.push(...needlessRuns(last, marked));
    const markedAtEnd = await marksIn(pack);
    const ended = runsOf(pack).filter(({ how }) => how === 'end');
    return {
      // A test that looked for marks in the wrong place would find none after the kills either, and prove nothing.
      breaches: [...breachesOf(pack), ...repeated, ...unmarked(pack, markedAtEnd)],
      ...sizeOf(pack),
      kills,
      /** Handled again because their listener was running when the kill came. */
      wereRunning: runsOf(pack).filter(({ how }) => how === 'killed').length,
      /** Handled again because their mark was not written yet. */
      wereUnmarked: ended.length - new Set(ended.map(({ eventId }) => eventId)).size,
    };
  } finally {
    await pack.close();
  }
}

/** Runs of events that the state had as handled, or that the same process had begun before. */
function needlessRuns({ journal }: Member, marked: ReadonlySet<string>): string[] {
  const ids = journal.runs.map(({ eventId }) => eventId);
  return ids.flatMap((id, index) => {
    if (marked.has(id)) return [`${id} was handled again although its mark was written`];
    return ids.indexOf(id) < index ? [`${id} was handled again without a kill`] : [];
  });
}

const unmarked = ({ mock }: Pack, marked: ReadonlySet<string>): string[] =>
  mock.emitted().flatMap(({ eventId }) => (marked.has(eventId) ? [] : [`${eventId} has no mark at the end`]));

/** Ids of events that the state has marked as handled. No process may have the state open now. */
async function marksIn({ place, clock, mock, baseUrl }: Pack): Promise<ReadonlySet<string>> {
  const { state, close } = openState(place, FACTOR);
  const scope = createHash('sha256')
    .update(`${baseUrl}/opendelivery/oauth/token\n${mock.credentials.clientId}`)
    .digest('hex')
    .slice(0, 32);
  const ids = new Map(mock.emitted().map((event) => [keyOf(event), event.eventId]));
  const found = await recalled(state, `events:${scope}`, [...ids.keys()], clock);
  await close();
  return new Set(found.map((key) => ids.get(key) as string));
}
