import { type Bench, type Effort, OURS } from './bench.js';
import { withHub } from './hub-process.js';
import { type ProcessContender, processesSideBySide } from './processes.js';

/** As many requests at a time as there are connections. */
const STORES = 64;

interface Poll {
  readonly title: string;
  readonly events: number;
  /** The response, as the path of the hub names it. */
  readonly response: string;
}

const POLLS: readonly Poll[] = [
  { title: 'no events, 204', events: 0, response: '0' },
  { title: 'no events, 200 with an empty array', events: 0, response: 'empty' },
  { title: '1 event, acknowledged', events: 1, response: '1' },
  { title: '3 events, acknowledged', events: 3, response: '3' },
];

function contenders(
  url: string,
  { events, response }: Poll,
  stores: number,
  polls: number,
): ProcessContender[] {
  const hub = (label: string) => `${url}/${label}/${response}`;
  const units = stores * polls;
  const loop = (name: string, exchange: string, needs?: string): ProcessContender => ({
    name,
    file: './loops.ts',
    setup: 'loop',
    input: { exchange, hub: hub(exchange), stores, polls },
    units,
    ...(needs && { needs }),
  });
  const ours = (name: string, setup: string): ProcessContender => ({
    name,
    file: './pollers.ts',
    setup,
    input: { hub: hub(setup), stores, polls, events },
    units,
  });
  return [
    loop('undici, Agent.request', 'rawUndici'),
    ours(OURS, 'running'),
    ours(`${OURS}, runOnce`, 'runOnce'),
    loop('fetch', 'nodeFetch'),
    ...(events === 0 ? [loop('fetch, a new connection for each poll', 'reconnectingFetch')] : []),
    loop('got', 'got', 'got'),
    loop('axios', 'axios', 'axios'),
  ];
}

export const bench: Bench = {
  title: 'P5: one poll of an idle store, 64 stores at a time',
  goal: 'none: the costs of an idle poll beside other libraries',
  tables: (effort: Effort) =>
    withHub(async function* ({ url }) {
      const isQuick = effort === 'quick';
      for (const poll of isQuick ? POLLS.slice(0, 1) : POLLS) {
        const stores = isQuick ? 4 : STORES;
        const rows = await processesSideBySide(contenders(url, poll, stores, isQuick ? 1 : 5), {
          rounds: isQuick ? 2 : 21,
          warmUp: isQuick ? 1 : 5,
        });
        yield { title: `CPU per poll, ${poll.title}`, unit: 'µs', rows };
      }
    }),
};
