import { type Bench, compared, type Effort, OURS, type Row } from './bench.js';
import { withHub } from './hub-process.js';
import { rowInProcess, timeOf } from './processes.js';

const STORES = 10_000;
/** So many HubClients are measured; their share is multiplied. */
const CLIENTS = 1000;

export const bench: Bench = {
  title: 'P7: 10,000 stores at 2 polls a minute in one process',
  goal: 'at most 4 % of one core',
  tables: (effort: Effort) =>
    withHub(async function* ({ url }) {
      const forMs = effort === 'quick' ? 1000 : 30_000;
      const scale = effort === 'quick' ? 100 : 1;
      const work = (name: string, setup: string, stores: number) =>
        rowInProcess(
          {
            name,
            file: './fleet.ts',
            setup,
            input: { hub: `${url}/${setup}/0`, stores: stores / scale, forMs },
            ...(setup === 'hubFleet' && { goal: { median: 4 } }),
          },
          timeOf(effort),
        );
      // Side by side: CPU time of a process does not include what the others use.
      const [timer, intervals, clients, fleet] = (await Promise.all([
        work('one timer, undici', 'oneTimer', STORES),
        work('one interval for each store, undici', 'intervals', STORES),
        work(`${OURS}, HubClients (${CLIENTS} measured, extrapolated)`, 'hubClients', CLIENTS),
        work(`${OURS}, HubFleet`, 'hubFleet', STORES),
      ])) as [Row, Row, Row, Row];
      const extrapolated = { ...clients, median: (clients.median ?? Number.NaN) * (STORES / CLIENTS) };
      yield {
        title: 'share of one core',
        unit: '%',
        rows: compared([timer, intervals, extrapolated, fleet]),
      };
    }),
};
