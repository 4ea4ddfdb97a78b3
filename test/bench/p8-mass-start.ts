import { type Bench, compared, type Effort, OURS, type Row, type Table } from './bench.js';
import type { MassStart } from './contenders/fleet.js';
import { type HubProcess, withHub } from './hub-process.js';
import { onceInProcess, rowInProcess, timeOf } from './processes.js';

const START_WORK = [
  ['undici, spread over 10 s', 'startSpread'],
  ['undici, all at once', 'startAtOnce'],
  [`${OURS}, HubFleet`, 'startFleet'],
] as const;

async function* tables({ url, counts }: HubProcess, effort: Effort): AsyncGenerator<Table> {
  const stores = effort === 'quick' ? 100 : 10_000;
  const inputOf = (label: string) => ({
    hub: `${url}/${label}/0`,
    stores,
    forMs: effort === 'quick' ? 500 : 10_000,
  });
  const started: [name: string, setup: string, result: MassStart][] = [];
  for (const [name, setup] of START_WORK) {
    const work = { file: './fleet.ts', setup, input: inputOf(setup) };
    started.push([name, setup, await onceInProcess<MassStart>(work, timeOf(effort))]);
  }
  const counted = await counts();
  const rows = (limit: number, figureOf: (result: MassStart, setup: string) => number | undefined) =>
    compared(
      started.map(([name, setup, result]): Row => {
        const median = figureOf(result, setup);
        return {
          name,
          ...(median !== undefined && { median }),
          ...(setup === 'startFleet' && { goal: { median: limit } }),
        };
      }),
    );
  yield { title: 'the slowest poll of a hundred (p99)', unit: 'ms', rows: rows(10, ({ p99Ms }) => p99Ms) };
  yield { title: 'the event loop, blocked for', unit: 'ms', rows: rows(20, ({ blockedMs }) => blockedMs) };
  yield { title: 'connections at a time', unit: '', rows: rows(64, (_, setup) => counted[setup]?.mostOpen) };
  const constructing = { name: `${OURS}, ${stores} HubClients`, file: './fleet.ts', setup: 'constructors' };
  yield {
    title: 'CPU of the constructors',
    unit: 'ms',
    rows: [await rowInProcess({ ...constructing, input: inputOf('constructors') })],
  };
}

export const bench: Bench = {
  title: 'P8: 10,000 stores started in one tick',
  goal: 'p99 at most 10 ms, the loop blocked for at most 20 ms, never more than 64 connections',
  tables: (effort) => withHub((hub) => tables(hub, effort)),
};
