import { type Bench, compared, type Effort, OURS, type Row } from './bench.js';
import { withHub } from './hub-process.js';
import { rowInProcess } from './processes.js';

/** At most 8 KB, and 1 KB per store of a fleet in addition to its token of 600 characters. */
const CLIENT_BYTES = 8 * 1024;
const FLEET_BYTES = 1024 + 600;

export const bench: Bench = {
  title: 'P6: heap for each store',
  goal: 'a HubClient at most 8 KB; in a fleet at most 1 KB in addition to the token',
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
          goal: { median: CLIENT_BYTES },
        },
        {
          name: `${OURS}, with a token of 600 characters`,
          file: './heap.ts',
          setup: 'clientsWithTokens',
          input,
        },
        { name: `${OURS}, a running poller`, file: './heap.ts', setup: 'startedPollers', input },
        {
          name: `${OURS}, in a fleet`,
          file: './fleet.ts',
          setup: 'hubFleetHeap',
          input: { ...input, stores: isQuick ? 20 : 10_000 },
          goal: { median: FLEET_BYTES },
        },
      ];
      const rows: Row[] = [];
      for (const work of works) rows.push(await rowInProcess(work));
      yield {
        title: `bytes in use after a full collection, ${stores} stores`,
        unit: 'B',
        rows: compared(rows),
      };
    }),
};
