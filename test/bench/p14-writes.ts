import type { Bench, Row, Table } from './bench.js';
import type { MeasuredPoll } from './contenders/writes.js';
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

async function table(
  title: string,
  setup: string,
  hub: string,
  goals: ReadonlyArray<number | undefined>,
): Promise<Table> {
  const input = { hub: `${hub}/${setup}`, polls: FIGURES };
  const counts = await onceInProcess<readonly number[] | string>({ file: './writes.ts', setup, input });
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
  title: 'P14: round trips to Redis and fsyncs for each poll, with its acknowledgments',
  goal: 'Redis: idle 2, one event at most 4, 1,000 events at most 30; file: idle at most 1, 1,000 events at most 12',
  tables: () =>
    withHub(async function* ({ url }) {
      yield await table('commands to Redis, with redisState', 'redisCommands', url, [2, 4, 30]);
      yield await table('fsyncs, with fileState', 'fileSyncs', url, [1, undefined, 12]);
    }),
};
