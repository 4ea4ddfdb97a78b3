import { type Bench, compared, type Effort, OURS } from './bench.js';
import { type ProcessContender, processesSideBySide, rowInProcess } from './processes.js';

const inEnglish = (count: number) => count.toLocaleString('en-US');

export const bench: Bench = {
  title: 'P13: remembering a handled event',
  goal: 'at most 3x at 3,000,000 known ids of what it costs at 30,000; at most 100 B for each id',
  async *tables(effort: Effort) {
    const isQuick = effort === 'quick';
    const few = isQuick ? 2000 : 30_000;
    const many = isQuick ? 10_000 : 3_000_000;
    const contender = (known: number): ProcessContender => ({
      name: `${OURS}, ${inEnglish(known)} known`,
      file: './marks.ts',
      setup: 'remembering',
      input: { known },
      units: 1000,
      ...(known === many && { goal: { ratio: 3 } }),
    });
    const rounds = { rounds: isQuick ? 2 : 101, warmUp: 2 };
    const rows = await processesSideBySide([contender(few), contender(many)], rounds);
    yield { title: 'CPU for each new id, with memoryState', unit: 'µs', rows };

    const input = { known: many };
    yield {
      title: `bytes for each of ${inEnglish(many)} ids`,
      unit: 'B',
      rows: compared([
        await rowInProcess({
          name: 'a Set of strings',
          file: './marks.ts',
          setup: 'bytesPerStringInSet',
          input,
        }),
        await rowInProcess({
          name: OURS,
          file: './marks.ts',
          setup: 'bytesPerId',
          input,
          goal: { median: 100 },
        }),
      ]),
    };
  },
};
