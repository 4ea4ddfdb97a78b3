import { type Bench, type Effort, OURS } from './bench.js';
import { withHub } from './hub-process.js';
import { type ProcessContender, processesSideBySide } from './processes.js';

export const bench: Bench = {
  title: 'P12: what running pollers cost every other promise of the process',
  goal: 'at most 1.1x, with 1,000 pollers',
  tables: (effort: Effort) =>
    withHub(async function* ({ url }) {
      const isQuick = effort === 'quick';
      const count = isQuick ? 1000 : 200_000;
      const contender = (name: string, pollers: number, storage = false): ProcessContender => ({
        name,
        file: './awaits.ts',
        setup: 'awaits',
        // The first poll of each has an event: a poller that has never called a listener is not typical.
        input: { hub: `${url}/awaits-${pollers}/1-0`, pollers, awaits: count, storage },
        units: count,
        ...(pollers > 0 && { goal: { ratio: 1.1 } }),
      });
      const contenders = isQuick
        ? [contender('no poller', 0), contender(`${OURS}, 10 pollers`, 10)]
        : [
            contender('no poller', 0),
            contender('no poller, an AsyncLocalStorage of the application', 0, true),
            contender(`${OURS}, 100 pollers`, 100),
            contender(`${OURS}, 1,000 pollers`, 1000),
          ];
      const rows = await processesSideBySide(contenders, { rounds: isQuick ? 2 : 31, warmUp: 5 });
      yield { title: 'CPU per `await null`', unit: 'µs', rows };
    }),
};
