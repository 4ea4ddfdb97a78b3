import { type Bench, compared, type Effort, OURS, type Row } from './bench.js';
import { withHub } from './hub-process.js';
import { rowInProcess, timeOf } from './processes.js';

const TOKEN_BYTES = 600;
const GOALS = { client: 8000, poller: 12_000, inFleet: 2500 + TOKEN_BYTES };

export const bench: Bench = {
  title: 'P6: heap for each store',
  goal: 'a HubClient at most 8 kB, with a running poller 12 kB; in a fleet at most 2.5 kB in addition to the token',
  tables: (effort: Effort) =>
    withHub(async function* ({ url }) {
      const isQuick = effort === 'quick';
      const stores = isQuick ? 20 : 1000;
      const input = { hub: `${url}/heap/0`, stores };
      const works = [
        { name: 'a plain object', file: './heap.ts', setup: 'plainObjects', input },
        { name: 'a Pool of undici', file: './heap.ts', setup: 'pools', input },
        {
          name: `${OURS}, a HubClient`,
          file: './heap.ts',
          setup: 'clients',
          input,
          goal: { median: GOALS.client },
        },
        {
          name: `${OURS}, with a token of 600 characters`,
          file: './heap.ts',
          setup: 'clientsWithTokens',
          input,
        },
        {
          name: `${OURS}, a running poller`,
          file: './heap.ts',
          setup: 'startedPollers',
          input,
          goal: { median: GOALS.poller },
        },
        {
          name: `${OURS}, in a fleet`,
          file: './fleet.ts',
          setup: 'hubFleetHeap',
          input: { ...input, stores: isQuick ? 20 : 10_000 },
          goal: { median: GOALS.inFleet },
        },
      ];
      const rows: Row[] = [];
      for (const work of works) rows.push(await rowInProcess(work, timeOf(effort)));
      yield {
        title: `bytes in use after a full collection, ${stores} stores`,
        unit: 'B',
        rows: compared(rows),
      };
    }),
};
