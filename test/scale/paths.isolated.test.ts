import { rmSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { compileSources } from '../compiled-sources.js';
import { CallCounter, type Path } from './calls.js';
import { CountedClock, clientOf, eventsOf, serveHub } from './hub.js';

/**
 * How much of the sources one thing passes that a client does again and again: files, functions with a name, and their calls.
 *
 *   OPENDELIVERY_PATHS=1 npx vitest run test/scale/paths
 *
 * prints the files of each path with their functions.
 */
const PATHS: readonly {
  readonly name: string;
  readonly count: () => Promise<Path>;
  readonly atMost?: { readonly files: number; readonly functions: number };
}[] = [
  { name: 'an idle poll of a lone poller', count: idlePoll },
  {
    name: "one event, from the poll's response to the end of its turn",
    count: oneEvent,
    atMost: { files: 35, functions: 150 },
  },
  {
    name: "an idle turn of a fleet's store",
    count: fleetTurn,
    atMost: { files: 25, functions: 90 },
  },
  { name: 'a token renewal', count: tokenRenewal, atMost: { files: 20, functions: 80 } },
];

const INTERVAL_MS = 30_000;

// Compiled file by file: Vitest's own modules call a function for each name that they import.
const compiled = await compileSources();
afterAll(() => rmSync(compiled, { recursive: true, force: true }));
const sources = `${compiled}/src`;
const { HubClient, HubFleet } = (await import(
  pathToFileURL(`${sources}/index.js`).href
)) as typeof import('opendelivery-client');

const counter = new CallCounter(sources);
beforeAll(() => counter.start());
afterAll(() => counter.stop());

/** Resolves when nothing is in flight over loopback. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 100; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** A poller that has handled events, been idle, and whose next poll is due after the interval. */
async function warmPoller(onPolling: () => void = () => {}) {
  const polls: unknown[][] = [];
  const { baseUrl, confirmed } = await serveHub(polls, (requested) => {
    if (requested === 'polling') onPolling();
  });
  const { clock, hub } = clientOf(HubClient, baseUrl);
  const poller = hub.poller().on('event', () => {});
  onTestFinished(async () => void (await poller.stop()));
  await poller.start();
  const poll = async (events: unknown[]) => {
    polls.push(events);
    clock.advance(INTERVAL_MS);
    await settled();
  };
  for (const [index, count] of [1, 3, 0, 1, 0, 0].entries()) await poll(eventsOf(count, `warm-${index}`));
  return { poll, confirmed };
}

async function idlePoll(): Promise<Path> {
  const { poll } = await warmPoller();
  counter.take();
  await poll([]);
  return counter.take();
}

async function oneEvent(): Promise<Path> {
  // The poll was sent: what its turn calls from here on, it calls with the response.
  const { poll, confirmed } = await warmPoller(() => counter.take());
  const before = confirmed.length;
  await poll(eventsOf(1));
  const path = counter.take();
  expect(confirmed.length - before).toBe(1);
  return path;
}

async function fleetTurn(): Promise<Path> {
  let polled = 0;
  const { baseUrl } = await serveHub([], (requested) => {
    if (requested === 'polling') polled += 1;
  });
  const clock = new CountedClock();
  const stores = ['one', 'two', 'three'].map((name) => ({
    storeId: name,
    clientId: name,
    clientSecret: `a-secret-of-${name}`,
  }));
  const fleet = new HubFleet({ baseUrl, stores, clock, logger: false }).on('event', () => {});
  onTestFinished(async () => void (await fleet.stop()));
  /** A small one: after a large step, all stores would be late. */
  const step = async () => {
    clock.advance(100);
    await settled();
  };
  const started = fleet.start();
  while (polled < 4 * stores.length) await step();
  await started;
  for (polled = 0; polled === 0; ) {
    counter.take();
    await step();
  }
  return counter.take();
}

async function tokenRenewal(): Promise<Path> {
  const { baseUrl } = await serveHub([]);
  const { clock, hub } = clientOf(HubClient, baseUrl);
  for (let renewal = 0; renewal < 3; renewal += 1) {
    clock.advance(3_600_000);
    counter.take();
    await hub.auth.renew();
    await settled();
  }
  return counter.take();
}

for (const { name, count, atMost } of PATHS)
  describe(name, () => {
    let counted: Promise<Path> | undefined;
    const path = () => {
      counted ??= count();
      return counted;
    };

    it('is counted', { tags: 'slow' }, async () => {
      const { files, functions, calls, list } = await path();
      console.log(`${name}: ${files} files, ${functions} functions, ${calls} calls`);
      if (process.env.OPENDELIVERY_PATHS) console.log(list.join('\n'));
      expect(files).toBeGreaterThan(5);
      expect(functions).toBeGreaterThan(files);
    });

    if (atMost)
      it(`passes at most ${atMost.files} files and ${atMost.functions} functions`, async () => {
        const { files, functions } = await path();
        expect(files).toBeLessThanOrEqual(atMost.files);
        expect(functions).toBeLessThanOrEqual(atMost.functions);
      });
  });
