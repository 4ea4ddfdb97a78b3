import { ConfigurationError, type EventPoller, type HubClient, type StopReport } from 'opendelivery-client';
import { describe, expect, it } from 'vitest';
import { fleetStage, stores } from '../fleet/support.js';
import { gate, requestsTo, type Stage, settledNow, stage, watched } from '../support.js';
import { processes, withCalls } from './support.js';

const NOTHING: StopReport = { handled: 0, acknowledged: 0, unacknowledged: [], timedOut: false };

/** Why a poller has had no good poll yet. */
const WAITS: Readonly<Record<string, () => Stage & { readonly poller: EventPoller }>> = {
  'its token is on its way': () => waiting(({ mock }) => mock.faults.next('token', 'hang')),
  'its poll is on its way': () => waiting(({ mock }) => mock.faults.next('polling', 'hang')),
  'the hub fails': () => waiting(({ mock }) => mock.faults.next('polling', 503, 50)),
  'the hub asks it to wait': () =>
    waiting(({ mock }) =>
      mock.faults.next('polling', { type: 'status', status: 429, headers: { 'retry-after': '7200' } }),
    ),
  'it is paused': () => {
    const all = waiting(({ mock }) => mock.faults.next('token', 'hang'));
    void all.clock.sleep(2000).then(() => all.poller.pause());
    return all;
  },
  'another process polls': () => {
    const { clock, mock, hubs } = processes(2);
    const [other, hub] = hubs as unknown as [HubClient, HubClient];
    void other
      .poller()
      .on('CREATED', () => {})
      .start();
    return { clock, mock, hub, log: [], poller: hub.poller().on('CREATED', () => {}) };
  },
};

function waiting(prepare: (stage: Stage) => void) {
  const all = stage();
  const poller = all.hub
    .poller()
    .on('CREATED', () => {})
    .on('error', () => {});
  prepare(all);
  return { ...all, poller };
}

const ENDS: Readonly<Record<string, (hub: HubClient, poller: EventPoller) => Promise<unknown>>> = {
  'poller.stop': (_hub, poller) => poller.stop({ timeoutMs: 1000 }),
  'poller.close': (_hub, poller) => poller.close({ timeoutMs: 1000 }),
  'hub.close': (hub) => hub.close({ timeoutMs: 1000 }),
};

describe('start, when there was no good poll because', () => {
  const cases = Object.entries(WAITS);

  it.each(cases.flatMap(([why, prepare]) => Object.keys(ENDS).map((end) => [why, end, prepare] as const)))(
    '%s, resolves after %s',
    async (_why, end, prepare) => {
      const { clock, hub, poller } = prepare();
      await clock.advance('1s');
      const started = poller.start();
      await clock.advance('10s');
      expect(await settledNow(clock, started)).toBe('pending');
      const ended = ENDS[end]?.(hub, poller);
      await clock.advance('1s');
      expect(await ended).toEqual(
        end === 'hub.close' ? [expect.any(Object)] : expect.objectContaining({ handled: 0 }),
      );
      expect(await settledNow(clock, started)).toEqual({ value: undefined });
      expect(poller.health().status).toBe('idle');
    },
  );

  it.each(cases)('%s, rejects with the reason of its signal, and stops', async (_why, prepare) => {
    const { clock, mock, poller } = prepare();
    await clock.advance('1s');
    const controller = new AbortController();
    const started = poller.start({ signal: controller.signal });
    await clock.advance('10s');
    const reason = new Error('shop is closed');
    controller.abort(reason);
    expect(await settledNow(clock, started)).toEqual({ error: reason });
    await clock.advance('31s');
    expect(poller.health().status).toBe('idle');
    const ours = requestsTo(mock, 'polling').length;
    await clock.advance(0);
    expect(requestsTo(mock, 'polling')).toHaveLength(ours);
  });

  it.each([undefined, 'a string', 0])(
    'it has just begun, rejects with the reason %s, too',
    async (reason) => {
      const { clock, hub } = stage();
      const poller = hub.poller().on('CREATED', () => {});
      const controller = new AbortController();
      const started = poller.start({ signal: controller.signal });
      controller.abort(reason);
      expect(await settledNow(clock, started)).toEqual({ error: controller.signal.reason });
      await expect(poller.start({ signal: controller.signal })).rejects.toEqual(controller.signal.reason);
      expect(poller.health().status).toBe('idle');
    },
  );
});

describe('close of a client', () => {
  it('resolves to the report of its poller, and to nothing if none ran', async () => {
    const { clock, mock, hub } = stage();
    const poller = hub.poller().on('CREATED', () => {});
    mock.createOrder();
    await poller.start();
    await clock.advance('2s');
    expect(await hub.close()).toEqual([{ ...NOTHING, handled: 1, acknowledged: 1 }]);
    expect(await hub.close()).toEqual([]);
    expect(await stage().hub.close()).toEqual([]);
  });

  it('during runOnce reports that cycle', async () => {
    const { clock, mock, hub } = stage();
    const listener = gate();
    const poller = hub.poller().on('CREATED', () => listener.promise);
    mock.createOrder();
    const once = poller.runOnce();
    await clock.advance('1s');
    const closed = hub.close();
    await clock.advance('1s');
    listener.open();
    await clock.advance('1s');
    expect(await closed).toEqual([{ ...NOTHING, handled: 1, acknowledged: 1 }]);
    expect(await once).toMatchObject({ handled: 1, acknowledged: 1 });
  });
});

/** What a program closes, what has the listeners, and the stores of two orders: a fleet has two. */
const DOORS = {
  client: () => {
    const { clock, mock, hub } = stage();
    const { clientId } = mock.credentials;
    return { clock, mock, door: hub, poller: hub.poller(), clientIds: [clientId, clientId] };
  },
  fleet: () => {
    const { clock, mock, fleet } = fleetStage(stores(2));
    const [door, poller] = [fleet as unknown as HubClient, fleet as unknown as EventPoller];
    return { clock, mock, door, poller, clientIds: stores(2).map(({ clientId }) => clientId) };
  },
};

/** Of all pollers of a client, or all stores of a fleet. */
function total(reports: readonly StopReport[]): StopReport {
  const all = [...reports.values()];
  return {
    handled: all.reduce((sum, { handled }) => sum + handled, 0),
    acknowledged: all.reduce((sum, { acknowledged }) => sum + acknowledged, 0),
    unacknowledged: all.flatMap(({ unacknowledged }) => unacknowledged),
    timedOut: all.some(({ timedOut }) => timedOut),
  };
}

describe.each(Object.entries(DOORS))('close of a %s', (kind, open) => {
  /** One whose listener never ends. */
  async function busy() {
    const all = open();
    const { clock, mock, poller, clientIds } = all;
    poller.on('CREATED', () => new Promise(() => {}));
    const { event } = mock.createOrder({ clientId: clientIds[1] });
    void poller.start();
    await clock.advance('31s');
    return { ...all, event };
  }

  it('waits for listeners until timeoutMs, and not longer; a second call can make it come sooner', async () => {
    const { clock, door, event } = await busy();
    const closed = door.close({ timeoutMs: 600_000 });
    const seen = watched(closed);
    await clock.advance('5m');
    expect(seen.done).toBe(false);
    const again = door.close({ timeoutMs: 10_000 });
    const later = door.close({ timeoutMs: 900_000 });
    await clock.advance('9s');
    expect(seen.done).toBe(false);
    await clock.advance('1s');
    const report = { ...NOTHING, unacknowledged: [event.eventId], timedOut: true };
    const reports = await Promise.all([closed, again, later]);
    expect(reports.map(total)).toEqual([report, report, report]);
    expect(clock.sleepers).toBe(0);
  });

  it('ends within 30 s without an option, also through Symbol.asyncDispose', async () => {
    const { clock, door } = await busy();
    const disposed = door[Symbol.asyncDispose]();
    await clock.advance('29s');
    expect(await settledNow(clock, disposed)).toBe('pending');
    await clock.advance('1s');
    expect(await settledNow(clock, disposed)).toEqual({ value: undefined });
  });

  it('inside a listener waits for all others, and leaves no timer', async () => {
    const { clock, mock, door, poller, clientIds } = open();
    const other = gate();
    let reports: StopReport[] | undefined;
    const first = mock.createOrder({ clientId: clientIds[1] });
    poller.on('CREATED', async ({ orderId }) => {
      if (orderId === first.orderId) await other.promise;
      else reports = await door.close();
    });
    void poller.start();
    await clock.advance('31s');
    const { event } = mock.createOrder({ clientId: clientIds[0] });
    await clock.advance('31s');
    expect(reports).toBeUndefined();
    other.open();
    await clock.advance('1s');
    expect(total(reports ?? [])).toEqual({
      handled: 1,
      acknowledged: 1,
      unacknowledged: [event.eventId],
      timedOut: false,
    });
    // A fleet acknowledges the event of that listener, too.
    if (kind === 'fleet') expect(clientIds.flatMap((clientId) => mock.pending(clientId))).toEqual([]);
    expect(clock.sleepers).toBe(0);
  });

  it.each([-1, Number.NaN, '5s' as unknown as number])(
    'with timeoutMs %s is a ConfigurationError, and closes nothing; stop the same',
    async (timeoutMs) => {
      const { clock, mock, door, poller, clientIds } = open();
      const handled: unknown[] = [];
      poller.on('CREATED', ({ orderId }) => void handled.push(orderId));
      void poller.start();
      await clock.advance('31s');
      // A promise that rejects, not an exception.
      for (const call of [door.close({ timeoutMs }), poller.stop({ timeoutMs }), poller.close({ timeoutMs })])
        await expect(call).rejects.toBeInstanceOf(ConfigurationError);
      const { orderId } = mock.createOrder({ clientId: clientIds[0] });
      await clock.advance('31s');
      expect(handled).toEqual([orderId]);
    },
  );
});

describe('close of a poller', () => {
  it('is stop: the same report, called twice, before start, and through Symbol.asyncDispose', async () => {
    const { clock, mock, hub } = stage();
    const poller = hub.poller().on('CREATED', () => {});
    expect(await poller.close()).toEqual(NOTHING);
    mock.createOrder();
    await poller.start();
    await clock.advance('2s');
    const [one, two, three] = await Promise.all([
      poller.close(),
      poller.stop(),
      poller[Symbol.asyncDispose](),
    ]);
    expect(one).toEqual({ ...NOTHING, handled: 1, acknowledged: 1 });
    expect(two).toBe(one);
    expect(three).toBeUndefined();
    expect(await poller.close()).toEqual(one);
  });
});

describe('pause, while a poll', () => {
  it('is not sent, takes it back; resume sends it at once', async () => {
    const slow = { isSlow: true };
    const all = processes(1);
    const { clock, mock } = all;
    const state = withCalls(all.state, {
      slot: async (next) => {
        if (slow.isSlow) await clock.sleep(4000);
        return next();
      },
    });
    const { hub } = stage({}, { state, clock, fetch: mock.fetch, baseUrl: mock.baseUrl });
    const poller = hub.poller().on('CREATED', () => {});
    const started = poller.start();
    await clock.advance('1s');
    poller.pause();
    await clock.advance('2m');
    expect(requestsTo(mock, 'polling')).toEqual([]);
    expect(await settledNow(clock, started)).toBe('pending');
    slow.isSlow = false;
    poller.resume();
    // The slot that the poll had reserved is free again.
    await clock.advance('1s');
    expect(requestsTo(mock, 'polling')).toHaveLength(1);
    expect(await settledNow(clock, started)).toEqual({ value: undefined });
  });

  it('is sent, lets it finish with its events, and holds the next one back', async () => {
    const { clock, mock, hub } = stage({ latencyMs: 5000 });
    const poller = hub.poller().on('CREATED', () => {});
    mock.createOrder();
    const started = poller.start();
    await clock.advance('7s');
    expect(requestsTo(mock, 'polling')).toHaveLength(1);
    poller.pause();
    poller.pause();
    await clock.advance('20s');
    expect(await settledNow(clock, started)).toEqual({ value: undefined });
    expect(mock.pending()).toEqual([]);
    await clock.advance('5m');
    expect(requestsTo(mock, 'polling')).toHaveLength(1);
    poller.resume();
    await clock.advance('1s');
    expect(requestsTo(mock, 'polling')).toHaveLength(2);
    await clock.advance('5s');
    expect(mock.violations()).toEqual([]);
  });

  it('is taken back and resumed before that is noticed: one poll is sent', async () => {
    const { clock, mock, hub } = stage();
    const poller = hub.poller().on('CREATED', () => {});
    const started = poller.start();
    poller.pause();
    poller.resume();
    await clock.advance('5s');
    expect(await settledNow(clock, started)).toEqual({ value: undefined });
    expect(requestsTo(mock, 'polling')).toHaveLength(1);
    await clock.advance('10m');
    expect(mock.violations()).toEqual([]);
  });
});

it('a second stop that may wait no longer needs no timer: the first one ends at once', async () => {
  const { clock, mock, hub } = stage();
  const open = gate();
  const poller = hub.poller().on('event', () => open.promise);
  mock.emit('CREATED');
  void poller.start();
  await clock.advance('1s');
  const first = poller.stop();
  const second = watched(poller.stop({ timeoutMs: 0 }));
  for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  const wasOver = second.done;
  await clock.advance(0);
  open.open();
  await first;
  expect(wasOver).toBe(true);
});
