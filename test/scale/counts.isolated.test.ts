/** @module-tag slow */
import { createHook } from 'node:async_hooks';
import { type EventPoller, HubClient } from 'opendelivery-client';
import { afterEach, describe, expect, it } from 'vitest';
import { clientOf, eventsOf, serveHub } from './hub.js';

/**
 * What one event costs, in objects. Times depend on the machine and
 * its load; these counts do not.
 */

const counted = { promises: 0, controllers: 0 };
const hook = createHook({
  init: (_id, type) => {
    if (type === 'PROMISE') counted.promises += 1;
  },
});
const { AbortController: Native } = globalThis;

function startCounting(): void {
  counted.promises = 0;
  counted.controllers = 0;
  globalThis.AbortController = class extends Native {
    constructor() {
      super();
      counted.controllers += 1;
    }
  };
  hook.enable();
}

function stopCounting(): typeof counted {
  hook.disable();
  globalThis.AbortController = Native;
  return { ...counted };
}

afterEach(() => void stopCounting());

/** Resolves when the poller waits for its next poll. */
const cycleOf = (poller: EventPoller, isOver: () => boolean) =>
  new Promise<void>((resolve) => {
    let quiet = 0;
    const look = () => {
      quiet = poller.health().running === 0 && isOver() ? quiet + 1 : 0;
      if (quiet > 5) resolve();
      else setImmediate(look);
    };
    look();
  });

/** The least of several tries: what else the test runner does in this process only adds to the counts. */
async function countsOfCycle(events: unknown[], listener: () => unknown) {
  const tries: (typeof counted)[] = [];
  for (let tried = 0; tried < 4; tried += 1) tries.push(await countsOfTry(events, listener));
  const least = (name: keyof typeof counted) => Math.min(...tries.map((counts) => counts[name]));
  return { promises: least('promises'), controllers: least('controllers') };
}

/** The counts of one cycle with these events, after some others. */
async function countsOfTry(events: unknown[], listener: () => unknown) {
  const polls: unknown[][] = [[], eventsOf(3, 'warm'), [], []];
  const { baseUrl, confirmed } = await serveHub(polls);
  const { clock, hub } = clientOf(HubClient, baseUrl);
  let polled = 0;
  const poller = hub
    .poller()
    .on('event', listener)
    .on('polled', () => void (polled += 1));
  await poller.start();
  for (let poll = 2; poll <= 4; poll += 1) {
    clock.advance(30_000);
    await cycleOf(poller, () => polled === poll);
  }
  clock.advance(1000);
  const before = confirmed.length;
  polls.push(events);
  startCounting();
  clock.advance(29_000);
  await cycleOf(poller, () => polled === 5 && confirmed.length === before + events.length);
  const counts = stopCounting();
  await poller.stop();
  return counts;
}

describe('an event', () => {
  const perEvent = async (listener: () => unknown) => {
    const few = await countsOfCycle(eventsOf(100), listener);
    const many = await countsOfCycle(eventsOf(1000), listener);
    return {
      promises: (many.promises - few.promises) / 900,
      controllers: (many.controllers - few.controllers) / 900,
    };
  };

  it('with a synchronous listener costs at most 3 promises, of acknowledgments included', async () => {
    const { promises, controllers } = await perEvent(() => {});
    expect(promises).toBeLessThanOrEqual(3);
    expect(controllers).toBeLessThan(0.02);
  });

  it('with an asynchronous listener costs at most 8 promises', async () => {
    const { promises, controllers } = await perEvent(async () => {
      await null;
    });
    expect(promises).toBeLessThanOrEqual(8);
    expect(controllers).toBeLessThan(0.02);
  });
});
