import { type Bench, compared, type Effort, OURS, type Row, type Table } from './bench.js';
import { type FleetRun, INTERVAL_MS } from './contenders/fleet.js';
import { type HubProcess, withHub } from './hub-process.js';
import { onceInProcess, rowInProcess, timeOf } from './processes.js';

const FLEET = `${OURS}, HubFleet`;
/** The floor needs no more: its share is the same from the first second on. */
const FLOOR_MS = 30_000;

async function* tables({ url, counts }: HubProcess, effort: Effort): AsyncGenerator<Table> {
  const [stores, forMs] = effort === 'quick' ? [100, 5000] : [100_000, 600_000];
  const work = (setup: string, ms: number) => ({
    file: './fleet.ts',
    setup,
    input: { hub: `${url}/${setup}/0`, stores, forMs: ms },
  });
  const oneTimer = { name: 'one timer, undici', ...work('oneTimer', Math.min(forMs, FLOOR_MS)) };
  const floor = await rowInProcess(oneTimer, timeOf(effort));
  const run = await onceInProcess<FleetRun>(work('fleetRun', forMs), timeOf(effort));
  const gapMs = (await counts()).fleetRun?.gapP99Ms ?? 0;
  const ours = (median: number, goal: number): Row => ({ name: FLEET, median, goal: { median: goal } });
  yield {
    title: `share of one core, ${stores} stores`,
    unit: '%',
    rows: compared([floor, ours(run.coreShare, 60)]),
  };
  yield {
    title: 'heap in use after a full collection',
    unit: 'MB',
    rows: [ours(run.heapBytes / 1e6, 400)],
  };
  yield {
    title: 'how late a poll is, the latest hundredth left out (p99)',
    unit: 'ms',
    rows: [
      gapMs > 0
        ? ours(Math.max(0, gapMs - INTERVAL_MS), 1000)
        : { name: FLEET, note: 'no store was polled twice' },
    ],
  };
  yield {
    title: 'until every store was polled once',
    unit: 's',
    rows: [ours(run.startMs / 1000, (2 * INTERVAL_MS) / 1000)],
  };
}

export const bench: Bench = {
  title: 'P18: 100,000 stores at 2 polls a minute in one process, for ten minutes',
  goal: 'at most 60 % of one core and 400 MB of heap, polls at most 1 s late (p99), every store polled within two intervals',
  tables: (effort) => withHub((hub) => tables(hub, effort)),
};
