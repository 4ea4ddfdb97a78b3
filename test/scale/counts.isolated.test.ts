import { createHook } from 'node:async_hooks';
import { channel, tracingChannel } from 'node:diagnostics_channel';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Clock, type EventPoller, HubClient } from 'opendelivery-client';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { sleepBy } from '../../src/clock.js';

/**
 * What one event costs, in objects. Times depend on the machine and
 * its load; these counts do not.
 */

/** A clock that the test moves; a timer of it costs nothing that is counted. */
class CountedClock implements Clock {
  #now = 0;
  readonly #timers = new Set<{ readonly dueAt: number; readonly onDue: () => void }>();

  now = () => 1_800_000_000_000 + this.#now;
  monotonic = () => this.#now;

  timer = (ms: number, onDue: () => void) => {
    const timer = { dueAt: this.#now + ms, onDue };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  };

  sleep = (ms: number, signal?: AbortSignal) => sleepBy(this.timer, ms, signal);

  advance(ms: number): void {
    this.#now += ms;
    for (const timer of [...this.#timers].filter(({ dueAt }) => dueAt <= this.#now)) {
      if (this.#timers.delete(timer)) timer.onDue();
    }
  }
}

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

/** A hub over HTTP that returns `polls` one after another, then nothing. */
async function hubWith(polls: unknown[][]) {
  const confirmed: string[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const path = request.url ?? '';
      if (path.endsWith('/oauth/token')) {
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify({ access_token: 'a-token', token_type: 'bearer', expires_in: 604_800 }));
      } else if (path.includes('acknowledgment')) {
        for (const { id } of JSON.parse(Buffer.concat(chunks).toString()) as { id: string }[])
          confirmed.push(id);
        response.writeHead(202).end();
      } else {
        const events = polls.shift() ?? [];
        if (events.length === 0) response.writeHead(204).end();
        else response.setHeader('content-type', 'application/json').end(JSON.stringify(events));
      }
    });
  };
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const clock = new CountedClock();
  const { port } = server.address() as AddressInfo;
  const hub = new HubClient({
    baseUrl: `http://127.0.0.1:${port}`,
    clientId: 'counted',
    clientSecret: 'a-secret-of-the-test',
    clock,
    logger: false,
  });
  onTestFinished(async () => {
    await hub.close();
    server.closeAllConnections();
    server.close();
  });
  return { clock, hub, confirmed, baseUrl: `http://127.0.0.1:${port}` };
}

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

const eventsOf = (count: number, run = 'e') =>
  Array.from({ length: count }, (_, index) => ({
    eventId: `${run}-${index}`,
    orderId: `order-${run}-${index}`,
    eventType: 'CREATED',
    createdAt: '2026-11-22T12:00:00Z',
    orderURL: 'https://hub.example/orders/1',
    sourceAppId: 'app',
  }));

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
  const { clock, hub, confirmed } = await hubWith(polls);
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

describe('the tracing channels', () => {
  const names = ['request', 'poll', 'listener', 'acknowledge', 'token'];
  const messages = ['start', 'end', 'asyncStart', 'asyncEnd', 'error'];

  it('get no context without subscribers', async () => {
    const contexts = new Set<unknown>();
    for (const name of names) {
      for (const message of messages) {
        const own = channel(`tracing:opendelivery:${name}:${message}`);
        const { publish, runStores } = own;
        own.publish = (context) => void contexts.add(context);
        own.runStores = (context, work, ...rest) => {
          contexts.add(context);
          return Reflect.apply(work, rest[0], rest.slice(1));
        };
        onTestFinished(() => void Object.assign(own, { publish, runStores }));
      }
    }
    await countsOfCycle(eventsOf(100), async () => {});
    expect(contexts.size).toBe(0);
  });

  it('cost promises only as long as somebody subscribes', async () => {
    const note = () => {};
    const subscriber = { start: note, end: note, asyncStart: note, asyncEnd: note, error: note };
    const before = await countsOfCycle([], () => {});
    const subscribed = names.map((name) => tracingChannel(`opendelivery:${name}`));
    for (const each of subscribed) each.subscribe(subscriber);
    const withSubscribers = await countsOfCycle([], () => {});
    for (const each of subscribed) each.unsubscribe(subscriber);
    const without = await countsOfCycle([], () => {});
    expect(withSubscribers.promises).toBeGreaterThan(before.promises);
    expect(without).toEqual(before);
  });
});
