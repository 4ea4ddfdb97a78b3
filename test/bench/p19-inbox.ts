import { isProgramMissing } from '../program-missing.js';
import { startPostgres } from '../state/postgres/start.js';
import { type Bench, type Effort, OURS, type Row } from './bench.js';
import { withHub } from './hub-process.js';
import { type ProcessContender, processesSideBySide } from './processes.js';

const EVENTS = 1000;
const CONCURRENCY = 8;

const OUR_ROW = `${OURS}: poll, store, acknowledge, work and commit`;

/** pg-boss needs it. */
const NODE = [22, 12] as const;

function contenders(host: string, url: string): ProcessContender[] {
  const input = { host, hub: `${url}/inbox/${EVENTS}`, events: EVENTS, concurrency: CONCURRENCY };
  const boss = (name: string, more: object): ProcessContender => ({
    name: `pg-boss: ${name}`,
    file: './inbox.ts',
    setup: 'pgBoss',
    input: { ...input, ...more },
    units: EVENTS,
    needs: 'pg-boss',
  });
  return [
    boss('fetch, work and complete in a transaction', { writes: false, isExact: true }),
    {
      name: OUR_ROW,
      file: './inbox.ts',
      setup: 'ours',
      input,
      units: EVENTS,
      goal: { ratio: 1 },
    },
    boss('write, fetch, work and complete in a transaction', { writes: true, isExact: true }),
    boss('fetch, work, complete a batch after its work (at least once)', { writes: false, isExact: false }),
  ];
}

const isNodeTooOld = () => {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  return major < NODE[0] || (major === NODE[0] && minor < NODE[1]);
};

/** Without pg-boss there is nothing to compare with, and no goal. */
const comparable = (rows: readonly Row[]): readonly Row[] =>
  rows.some(({ name, median }) => name !== OUR_ROW && median !== undefined)
    ? rows
    : rows.map(({ goal: _goal, ratio: _ratio, ...row }) => row);

/** With events a second, which is how people compare queues. */
const withRate = (row: Row): Row =>
  row.median === undefined
    ? row
    : { ...row, note: `${Math.round(1_000_000 / row.median).toLocaleString('en-US')} events/s` };

export const bench: Bench = {
  title: 'P19: events through the inbox in Postgres, each with one insert of the application',
  goal: 'at least as fast as pg-boss doing the same work',
  tables: (effort: Effort) =>
    withHub(async function* ({ url }) {
      const title = `Elapsed time per event, ${EVENTS.toLocaleString('en-US')} events a turn, ${CONCURRENCY} at a time (Postgres without fsync)`;
      if (isProgramMissing('postgres')) {
        yield { title, unit: 'µs', rows: [{ name: OURS, note: 'needs postgres' }] };
        return;
      }
      const server = await startPostgres();
      try {
        const all = contenders(server.address.host, url);
        const able = isNodeTooOld() ? all.filter(({ needs }) => needs === undefined) : all;
        const rounds = effort === 'quick' ? { rounds: 1, warmUp: 1 } : { rounds: 21, warmUp: 4 };
        const rows = comparable(await processesSideBySide(able, rounds, 'wallMs')).map(withRate);
        const note = `needs Node ${NODE.join('.')}`;
        yield {
          title,
          unit: 'µs',
          rows: all.map(({ name }) => rows.find((row) => row.name === name) ?? { name, note }),
        };
      } finally {
        await server.close();
      }
    }),
};
