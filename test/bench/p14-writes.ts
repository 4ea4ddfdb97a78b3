import type { Bench, Row, Table } from './bench.js';
import type { MeasuredPoll, RedisCounts } from './contenders/writes.js';
import { withHub } from './hub-process.js';
import { onceInProcess } from './processes.js';

interface Figure extends MeasuredPoll {
  readonly name: string;
}

const FIGURES: readonly Figure[] = [
  { name: 'an idle poll', events: 0, by: 'start' },
  { name: 'a poll with 1 event', events: 1, by: 'start' },
  { name: 'a poll with 1,000 events', events: 1000, by: 'start' },
  { name: 'runOnce, idle', events: 0, by: 'runOnce' },
  { name: 'runOnce, 1 event', events: 1, by: 'runOnce' },
];

function table(
  title: string,
  counts: readonly number[] | string,
  goals: ReadonlyArray<number | undefined> = [],
): Table {
  const rows = FIGURES.map(({ name }, index): Row => {
    if (typeof counts === 'string') return { name, note: counts };
    const goal = goals[index];
    return {
      name,
      median: counts[index] ?? Number.NaN,
      ...(goal !== undefined && { goal: { median: goal } }),
    };
  });
  return { title, unit: '', rows };
}

export const bench: Bench = {
  title: 'P14: round trips to Redis for each poll, with its acknowledgments',
  goal: 'idle 2, one event at most 5, 1,000 events at most 16 (test/state/file counts the fsyncs of SQLite)',
  tables: () =>
    withHub(async function* ({ url }) {
      const counted = <Counts>(setup: string) =>
        onceInProcess<Counts>({
          file: './writes.ts',
          setup,
          input: { hub: `${url}/${setup}`, polls: FIGURES },
        });
      const redis = await counted<RedisCounts | string>('redisCounts');
      const { commands, roundTrips } =
        typeof redis === 'string' ? { commands: redis, roundTrips: redis } : redis;
      yield table('round trips to Redis: what is sent together counts once', roundTrips, [2, 5, 16]);
      yield table('commands to Redis', commands);
    }),
};
