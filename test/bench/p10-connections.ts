import { type Bench, type Effort, OURS, type Row } from './bench.js';
import { withHub } from './hub-process.js';
import { FAST_TIME, startProcess } from './processes.js';

const CONTENDERS = [
  ['an Agent of undici, without options', 'undiciDefault'],
  ['fetch', 'nodeFetch'],
  [OURS, 'poller'],
] as const;

export const bench: Bench = {
  title: 'P10: new connections of one store at 2 polls a minute; its clock runs 50 times as fast',
  goal: 'one at the start, at most 1 in 100 polls',
  tables: (effort: Effort) =>
    withHub(async function* ({ url, counts }) {
      const polls = effort === 'quick' ? 3 : 100;
      await Promise.all(
        CONTENDERS.map(async ([, setup]) => {
          const input = { hub: `${url}/${setup}/0`, polls };
          const work = { file: './connections.ts', setup, input };
          const { end } = await startProcess(work, FAST_TIME);
          await end();
        }),
      );
      const counted = await counts();
      const rows = CONTENDERS.map(
        ([name, setup]): Row => ({
          name,
          median: counted[setup]?.connections ?? Number.NaN,
          ...(setup === 'poller' && { goal: { median: 1 } }),
        }),
      );
      yield { title: `connections in ${polls} polls`, unit: '', rows };
    }),
};
