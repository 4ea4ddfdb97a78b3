import { type Bench, type Effort, OURS } from './bench.js';
import { withHub } from './hub-process.js';
import { type ProcessContender, processesSideBySide } from './processes.js';

const EVENTS = 1000;

/** Every contender sends its requests over loopback to the same hub, with up to 64 connections. */
function contenders(url: string, stores: number): ProcessContender[] {
  const hub = (label: string) => `${url}/${label}/${EVENTS}`;
  const units = EVENTS * stores;
  const loop = (name: string, exchange: string, more: object = {}, needs?: string): ProcessContender => ({
    name,
    file: './loops.ts',
    setup: 'loop',
    input: { exchange, hub: hub(exchange), stores, polls: 1, ...more },
    units,
    ...(needs && { needs }),
  });
  const ours = (name: string, listener: 'sync' | 'async', ratio: number): ProcessContender => ({
    name,
    file: './pollers.ts',
    setup: 'runOnce',
    input: { hub: hub(listener), stores, polls: 1, events: EVENTS, listener },
    units,
    goal: { ratio },
  });
  return [
    loop('a bare fetch loop', 'nodeFetch'),
    ours(OURS, 'sync', 1),
    ours(`${OURS}, async listener`, 'async', 1.8),
    loop('undici, Agent.request', 'rawUndici'),
    loop('undici, with a Set of handled ids', 'rawUndici', { remembers: true }),
    loop('got', 'got', {}, 'got'),
    loop('axios', 'axios', {}, 'axios'),
  ];
}

export const bench: Bench = {
  title: 'P4: poll, call the listeners, acknowledge; 1,000 events in each poll',
  goal: 'at most 1.0x a bare fetch loop, 1.8x with an async listener',
  tables: (effort: Effort) =>
    withHub(async function* ({ url }) {
      const [stores, rounds, warmUp] = effort === 'quick' ? [1, 2, 1] : [8, 31, 6];
      yield {
        title: `CPU per event, ${stores} stores at a time`,
        unit: 'µs',
        rows: await processesSideBySide(contenders(url, stores), { rounds, warmUp }),
      };
    }),
};
