import { type HubClient, RateLimitError } from 'opendelivery-client';
import type { MockHub } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { some } from '../runs.js';
import { afterAdvance, gate, settledNow, stage } from '../support.js';
import { CALLS, type Called, EVENT } from './calls.js';
import { countedSignal } from './counted-signal.js';

const isOfToken = ({ endpoint }: Called) => endpoint === 'token';
/** Whether several calls share one request, which continues if one of them is aborted. */
const isShared = (called: Called) => isOfToken(called) || called.endpoint === 'merchant';
/** For a title: what a call does when it is aborted. */
const ends = (called: Called) =>
  `rejects at once, and ${isShared(called) ? 'its shared request continues' : 'sends nothing more'}`;

const REASONS: readonly unknown[] = [new Error('enough'), 'a string', { code: 7 }, null, 0];

function begin(called: Called) {
  const { clock, mock, hub } = stage({}, { rateLimit: { maxWaitMs: 7_200_000 } });
  const poller = hub.poller();
  poller.on('event', () => {}).on('error', () => {});
  const watched = countedSignal();
  const sent = () => mock.requests.filter(({ endpoint }) => endpoint === called.endpoint).length;
  const needsToken = !isOfToken(called) && called.endpoint !== 'merchant';
  /** An hour later, nothing more was sent, and no listener and no sleeper is left. */
  const leavesNothing = async (before: number) => {
    await clock.advance(0);
    expect([watched.listeners, clock.sleepers]).toEqual([0, 0]);
    await clock.advance('1h');
    expect(sent()).toBe(before);
    expect(watched.listeners).toBe(0);
    expect(clock.sleepers).toBe(0);
  };
  /** Aborts a call in progress: it rejects with that reason and leaves nothing, or only the request that it shares. */
  const endsAtOnce = async (made: Promise<unknown>, mayBeCarriedOut = false) => {
    const sentSoFar = sent();
    const reason = new Error('enough');
    watched.abort(reason);
    const { reason: rejected } = await rejection(made);
    // The hub may have carried out a command that was on its way.
    const isUnknown = mayBeCarriedOut && called.endpoint === 'orderStatus';
    if (isUnknown) expect(rejected).toMatchObject({ outcome: 'unknown', retryable: false, cause: reason });
    else expect(rejected).toBe(reason);
    expect(watched.listeners).toBe(0);
    if (!isShared(called)) return leavesNothing(sentSoFar);
    await clock.advance('2h');
    expect(sent()).toBe(sentSoFar + 1);
    expect(clock.sleepers).toBe(0);
  };
  return {
    clock,
    mock,
    hub,
    poller,
    watched,
    sent,
    ready: async () => {
      if (needsToken) await hub.auth.getToken();
    },
    call: () => {
      const made = called.call(hub, { signal: watched.signal }, poller);
      made.catch(() => {});
      return made;
    },
    leavesNothing,
    endsAtOnce,
  };
}

async function rejection(made: Promise<unknown>): Promise<{ reason: unknown }> {
  return made.then(
    () => expect.fail('it succeeded'),
    (reason: unknown) => ({ reason }),
  );
}

/** Takes every slot of the endpoint's window. */
async function fill(hub: HubClient, mock: MockHub, { endpoint, limit }: Called): Promise<void> {
  const taken = mock.requests.filter((request) => request.endpoint === endpoint).length;
  for (let count = taken; count < limit; count += 1) {
    if (endpoint === 'token') await hub.auth.renew();
    else if (endpoint === 'merchant') await hub.merchant.get({ fresh: true });
    else if (endpoint === 'polling') await hub.events.poll();
    else if (endpoint === 'acknowledgment')
      await hub.events.acknowledge([{ ...EVENT, eventId: `e${count}` }]);
    else if (endpoint === 'order') await hub.orders.get('o').catch(() => {});
    else await hub.orders.confirm('o').catch(() => {});
  }
}

/** Taking all slots costs as many requests, so `npm test` does it for some of the calls that have a hundred. */
const FILLED = [
  ...CALLS.filter(({ limit }) => limit < 100),
  ...some(CALLS.filter(({ limit }) => limit >= 100)),
];

describe.each(FILLED)('$name', (called) => {
  it(`aborted while it waits for its slot, ${ends(called)}`, async () => {
    const { hub, mock, clock, call, ready, endsAtOnce } = begin(called);
    await ready();
    await fill(hub, mock, called);
    if (called.name === 'auth.getToken') {
      mock.revokeTokens();
      await hub.auth.invalidate((await hub.auth.getToken()).value);
    }
    const made = call();
    expect(await settledNow(clock, made)).toBe('pending');
    await endsAtOnce(made);
  });
});

describe.each(CALLS)('$name', (called) => {
  it.each(REASONS)(
    'aborted before it starts, rejects with the reason %j and sends nothing',
    async (reason) => {
      const { hub, mock, call, watched, leavesNothing } = begin(called);
      watched.abort(reason);
      expect(await rejection(call())).toEqual({ reason: reason });
      expect(mock.requests).toEqual([]);
      await leavesNothing(0);
      await hub.close();
    },
  );

  it(`aborted in flight, ${ends(called)}`, async () => {
    const { mock, clock, call, sent, ready, endsAtOnce } = begin(called);
    await ready();
    mock.faults.next(called.endpoint, 'hang');
    const before = sent();
    const made = call();
    await clock.advance(100);
    expect(sent()).toBe(before + 1);
    expect(await settledNow(clock, made)).toBe('pending');
    await endsAtOnce(made, true);
  });

  it(`aborted while it waits to retry, ${ends(called)}`, async () => {
    const { mock, clock, call, ready, endsAtOnce } = begin(called);
    await ready();
    mock.faults.next(called.endpoint, { type: 'status', status: 429, headers: { 'retry-after': '100' } });
    const made = call();
    await clock.advance(100);
    if (called.name === 'poller.runOnce')
      return expect(await rejection(made)).toMatchObject({ reason: { status: 429 } });
    expect(await settledNow(clock, made)).toBe('pending');
    await endsAtOnce(made);
  });

  it('leaves no listener on the signal when it has settled', async () => {
    const { mock, clock, call, watched, poller, hub } = begin(called);
    mock.createOrder({ orderId: 'o' });
    for (const fault of [undefined, 400, 500, 'reset'] as const) {
      if (fault !== undefined) mock.faults.next(called.endpoint, fault, 5);
      const made = call();
      await clock.advance('10m');
      if (called.name === 'poller.start') await poller.stop();
      await made.catch(() => {});
      mock.faults.clear();
      expect([watched.listeners, watched.counts.added]).toEqual([0, watched.counts.removed]);
    }
    expect(watched.counts.added).toBeGreaterThan(0);
    // An abort has no effect now.
    const before = mock.requests.length;
    watched.abort(new Error('late'));
    await clock.advance('1m');
    expect(mock.requests).toHaveLength(before);
    await hub.close();
  });
});

describe('a renewal', () => {
  it.each(['auth.getToken', 'auth.renew'])(
    'that %s has started continues for the other callers if that one is aborted',
    async (name) => {
      const { clock, mock, hub } = stage();
      const watched = countedSignal();
      mock.faults.next('token', { type: 'latency', ms: 5000 });
      const method = name === 'auth.renew' ? hub.auth.renew.bind(hub.auth) : hub.auth.getToken.bind(hub.auth);
      const leaving = method({ signal: watched.signal });
      leaving.catch(() => {});
      const staying = hub.auth.getToken();
      await clock.advance('1s');
      watched.abort('gone');
      expect(await rejection(leaving)).toEqual({ reason: 'gone' });
      await clock.advance('10s');
      expect((await staying).value).toMatch(/^mock\./);
      expect(mock.requests).toHaveLength(1);
    },
  );
});

describe('a signal that aborts during a cycle', () => {
  it('lets the listeners of runOnce finish, and their events are acknowledged', async () => {
    const { clock, mock, hub } = stage();
    const watched = countedSignal();
    const work = gate();
    mock.createOrder();
    const poller = hub.poller().on('event', () => work.promise);
    const made = poller.runOnce({ signal: watched.signal });
    await clock.advance('1s');
    watched.abort(new Error('enough'));
    work.open();
    await clock.advance('2s');
    expect(await made).toMatchObject({ handled: 1, acknowledged: 1 });
    expect(mock.pending()).toEqual([]);
    expect(watched.listeners).toBe(0);
  });

  it('stops a started poller when its listeners have finished, and their events are acknowledged', async () => {
    const { clock, mock, hub } = stage();
    const watched = countedSignal();
    const work = gate();
    mock.createOrder();
    const poller = hub.poller().on('event', () => work.promise);
    await afterAdvance(clock, '1s', poller.start({ signal: watched.signal }));
    watched.abort(new Error('enough'));
    work.open();
    await clock.advance('2s');
    expect(poller.health().status).toBe('idle');
    expect(mock.pending()).toEqual([]);
    expect([watched.listeners, clock.sleepers]).toEqual([0, 0]);
  });
});

it('a signal of a thousand calls has one listener, so that Node does not warn', async () => {
  const { clock, mock, hub } = stage();
  const watched = countedSignal();
  const warnings: Error[] = [];
  const warn = (warning: Error) => void warnings.push(warning);
  process.on('warning', warn);
  await hub.auth.getToken();
  const calls = Array.from({ length: 1000 }, () => hub.orders.get('o', { signal: watched.signal }));
  const outcomes = Promise.allSettled(calls);
  await clock.advance(100);
  expect(watched.listeners).toBe(1);
  const before = mock.requests.length;
  watched.abort(new Error('enough'));
  const settled = await outcomes;
  expect(
    settled.filter((each) => each.status === 'rejected' && !(each.reason instanceof RateLimitError)).length,
  ).toBe(1000);
  await clock.advance('1h');
  expect(mock.requests).toHaveLength(before);
  expect(watched.listeners).toBe(0);
  await new Promise((resolve) => setImmediate(resolve));
  process.off('warning', warn);
  expect(warnings).toEqual([]);
});
