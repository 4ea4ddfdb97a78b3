import { createServer } from 'node:http';
import { type Clock, livenessHandler, memoryState, readinessHandler } from 'opendelivery-client';
import { postgresInbox } from 'opendelivery-client/sql';
import { ManualClock } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { caught, fleetStage, stores } from '../fleet/support.js';
import { afterAdvance, clientOf, gate, stage } from '../support.js';
import { served } from '../temporary.js';
import { cuttable } from './support.js';

type Handler = ReturnType<typeof livenessHandler>;

const request = () => new Request('http://pod/probe');
const statusOf = (handler: Handler) => handler(request()).status;
const bodyOf = (handler: Handler) => handler(request()).json();

/** A clock whose timers fire no more once `isBroken` is set, as after a fault of the process. */
function breakable() {
  const clock = new ManualClock();
  const link = { isBroken: false };
  const broken: Clock = {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    sleep: (ms, signal) => clock.sleep(ms, signal),
    hold: () => clock.hold(),
    timer: (ms, onDue) => clock.timer(ms, () => link.isBroken || onDue()),
  };
  return { clock, broken, link };
}

describe('readinessHandler', () => {
  it('answers 503 before the first good poll of a poller and from its stop on, and 200 between', async () => {
    const { clock, mock, hub } = stage();
    const poller = hub.poller();
    const ready = readinessHandler(poller);
    const work = gate();
    poller.on('event', () => work.promise).on('error', () => {});
    expect([statusOf(ready), await bodyOf(ready)]).toEqual([
      503,
      expect.objectContaining({ status: 'idle' }),
    ]);
    mock.faults.next('polling', { status: 500 });
    const started = poller.start();
    await clock.advance('10s');
    expect([statusOf(ready), await bodyOf(ready)]).toEqual([
      503,
      expect.objectContaining({ status: 'starting' }),
    ]);
    mock.createOrder();
    await clock.advance('10m');
    await started;
    expect(statusOf(ready)).toBe(200);
    const stopped = poller.stop();
    expect(statusOf(ready)).toBe(503);
    work.open();
    await clock.advance('1s');
    await stopped;
    expect(statusOf(ready)).toBe(503);
  });

  it('answers 200 on standby, while paused, and while the hub is down', async () => {
    const state = memoryState();
    const { clock, mock, hub } = stage({}, { state });
    const { hub: other } = clientOf(mock, { clock, state });
    const [first, second] = [hub, other].map((each) =>
      each
        .poller()
        .on('event', () => {})
        .on('error', () => {}),
    );
    if (!first || !second) throw new Error('two pollers');
    await first.start();
    void second.start();
    await clock.advance('1m');
    expect(second.health().status).toBe('standby');
    expect(statusOf(readinessHandler(second))).toBe(200);
    first.pause();
    expect(statusOf(readinessHandler(first))).toBe(200);
    first.resume();
    mock.faults.random({ seed: 1, rate: 1, types: ['reset'] });
    await clock.advance('1h');
    expect(first.health().consecutiveFailures).toBeGreaterThan(3);
    expect(statusOf(readinessHandler(first))).toBe(200);
  });

  it('answers for a fleet: ready with the first good poll of any store, although another one is refused', async () => {
    const all = stores(2);
    const { clock, mock, fleet } = fleetStage(all);
    const ready = readinessHandler(fleet);
    fleet.on('event', () => {}).on('error', () => {});
    expect(await bodyOf(ready)).toMatchObject({ status: 'idle', stores: 2 });
    mock.faults.next('token', { status: 500 }, 20);
    void caught(fleet.start());
    expect(statusOf(ready)).toBe(503);
    await clock.advance('40s');
    expect([statusOf(ready), fleet.health().status]).toEqual([503, 'starting']);
    mock.faults.clear();
    await clock.advance('20m');
    expect([statusOf(ready), fleet.health().status]).toEqual([200, 'running']);
    const stopped = fleet.stop();
    expect([statusOf(ready), fleet.health().status]).toEqual([503, 'stopping']);
    await clock.advance('1s');
    await stopped;
    expect([statusOf(ready), fleet.health().status]).toEqual([503, 'idle']);
  });

  it('answers 200 for a fleet that has no store to poll, so that a rollout goes on', async () => {
    const { clock, fleet } = fleetStage(stores(1), { stores: () => [] });
    fleet.on('event', () => {});
    const started = fleet.start();
    expect(statusOf(readinessHandler(fleet))).toBe(503);
    await clock.advance('1s');
    await started;
    expect(statusOf(readinessHandler(fleet))).toBe(200);
  });

  it('answers 200 for a fleet whose stores another process polls', async () => {
    const state = memoryState();
    const all = stores(1);
    const { clock, fleet } = fleetStage(all, { state });
    const other = fleetStage(all, { state, clock });
    for (const each of [fleet, other.fleet]) each.on('event', () => {}).on('error', () => {});
    void fleet.start();
    await clock.advance('1m');
    void other.fleet.start();
    await clock.advance('1m');
    expect(other.fleet.health()).toMatchObject({
      ...{ standby: 1, status: 'running' },
      ...{ newestPollMs: 0, oldestPollMs: 0 },
    });
    expect(statusOf(readinessHandler(other.fleet))).toBe(200);
  });
});

describe('livenessHandler', () => {
  it('answers 503 once a poll was due for 15 minutes and nothing has begun it', async () => {
    const { clock, broken, link } = breakable();
    const { hub } = stage({ clock }, { clock: broken });
    const poller = hub.poller();
    const live = livenessHandler(poller);
    poller.on('event', () => {}).on('error', () => {});
    expect(statusOf(live)).toBe(200);
    await poller.start();
    await clock.advance('5m');
    link.isBroken = true;
    const dueMs = (poller.health().nextPollAt as number) - clock.now();
    await clock.advance(dueMs + 15 * 60_000);
    expect([statusOf(live), await bodyOf(live)]).toEqual([
      200,
      expect.objectContaining({ stuckMs: 900_000 }),
    ]);
    await clock.advance(1);
    expect(statusOf(live)).toBe(503);
    expect(await bodyOf(live)).toEqual({
      status: 'running',
      stuckMs: 900_001,
      overdueMs: 900_001,
      consecutiveFailures: 0,
      running: 0,
      unacknowledged: 0,
    });
    await poller.stop();
    expect(statusOf(live)).toBe(200);
  });

  it('answers 503 on standby too, because nobody would take over', async () => {
    const { clock, broken, link } = breakable();
    const state = memoryState();
    const { mock, hub } = stage({ clock }, { clock, state });
    const { hub: other } = clientOf(mock, { clock: broken, state });
    const [first, second] = [hub.poller(), other.poller()];
    for (const poller of [first, second]) poller.on('event', () => {}).on('error', () => {});
    await first.start();
    void second.start();
    await clock.advance('1m');
    expect(second.health()).toMatchObject({ status: 'standby', stuckMs: 0 });
    link.isBroken = true;
    await clock.advance('16m');
    expect([statusOf(livenessHandler(first)), statusOf(livenessHandler(second))]).toEqual([200, 503]);
  });

  it('answers 503 for a fleet none of whose polls is begun any more', async () => {
    const { clock, broken, link } = breakable();
    const { fleet } = fleetStage(stores(3), { clock: broken }, { clock });
    const live = livenessHandler(fleet);
    fleet.on('event', () => {}).on('error', () => {});
    void caught(fleet.start());
    await clock.advance('5m');
    link.isBroken = true;
    await clock.advance('14m');
    expect(statusOf(live)).toBe(200);
    await clock.advance('2m');
    expect(statusOf(live)).toBe(503);
    expect(await bodyOf(live)).toMatchObject({ status: 'running', stores: 3, polling: 3 });
  });

  it.each([
    ['reset', undefined],
    ['hang', undefined],
    ['status', 500],
    ['status', 429],
  ] as const)('answers 200 while the hub is down for hours: %s %s', async (type, status) => {
    const { clock, mock, hub } = stage();
    const poller = hub.poller();
    poller.on('event', () => {}).on('error', () => {});
    await poller.start();
    const fault =
      type === 'status' ? { type, status: status ?? 500, headers: { 'retry-after': '7200' } } : type;
    mock.faults.next('polling', fault, 1000);
    mock.revokeTokens();
    mock.faults.next('token', fault, 1000);
    const statuses = new Set<number>();
    for (let minute = 0; minute < 130; minute += 1) {
      await clock.advance('1m');
      statuses.add(statusOf(livenessHandler(poller)));
    }
    expect([...statuses]).toEqual([200]);
    expect(clock.now() - (poller.health().lastPolledAt as number)).toBeGreaterThan(60 * 60_000);
    // A poll may be under way, and only time ends it.
    await afterAdvance(clock, '1m', hub.close());
  });

  it('answers 200 while listeners hang', async () => {
    const { clock, mock, hub } = stage();
    const poller = hub.poller({ listenerTimeoutMs: 86_400_000 });
    const work = gate();
    poller.on('event', () => work.promise).on('error', () => {});
    await poller.start();
    mock.createOrder();
    await clock.advance('2h');
    expect(poller.health()).toMatchObject({ running: 1, stuckMs: 0 });
    expect(poller.health().overdueMs).toBeGreaterThan(3_600_000);
    expect(statusOf(livenessHandler(poller))).toBe(200);
    work.open();
  });

  it('answers 200 while the state does not answer', async () => {
    const { link, state } = cuttable(memoryState());
    const { clock, hub } = stage({}, { state });
    const poller = hub.poller();
    poller.on('event', () => {}).on('error', () => {});
    await poller.start();
    link.cut = true;
    await clock.advance('2h');
    expect(poller.health().lastError).toMatchObject({ code: 'state' });
    expect(statusOf(livenessHandler(poller))).toBe(200);
    link.cut = false;
  });

  it('answers 200 while the database of the inbox is down', async () => {
    const { clock, hub } = stage();
    const fails = () => Promise.reject(new Error('the database is down'));
    const poller = hub.poller({ inbox: postgresInbox({ query: fails, connect: fails }) });
    poller.on('event', () => {}).on('error', () => {});
    void poller.start();
    await clock.advance('2h');
    expect(poller.health().status).toBe('starting');
    expect(statusOf(livenessHandler(poller))).toBe(200);
  });
});

describe('a probe', () => {
  it('is answered over node:http too, is never cached, and shows chosen fields only', async () => {
    const { mock, hub } = stage();
    const poller = hub.poller();
    poller.on('event', () => Promise.reject(new Error('Maria Silva, Rua Augusta 1'))).on('error', () => {});
    mock.createOrder();
    await poller.start();
    const server = await served(createServer(readinessHandler(poller)).listeners('request')[0] as never);
    const { get } = await import('node:http');
    const { statusCode, headers, body } = await new Promise<{
      statusCode: number | undefined;
      headers: Record<string, unknown>;
      body: string;
    }>((resolve) =>
      get(server, (response) => {
        let text = '';
        response.on('data', (chunk) => (text += String(chunk)));
        response.on('end', () =>
          resolve({ statusCode: response.statusCode, headers: response.headers, body: text }),
        );
      }),
    );
    expect(statusCode).toBe(200);
    expect(headers).toMatchObject({ 'content-type': 'application/json', 'cache-control': 'no-store' });
    expect(Object.keys(JSON.parse(body)).sort()).toEqual(
      ['consecutiveFailures', 'overdueMs', 'running', 'status', 'stuckMs', 'unacknowledged'].sort(),
    );
    const response = livenessHandler(poller)(request());
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('content-type')).toBe('application/json');
  });

  it('is answered with a Response also where the platform passes something beside the Request', () => {
    const { hub } = stage();
    const fetch = livenessHandler(hub.poller()) as (request: Request, env: object) => Response;
    expect(fetch(request(), { SECRET: 'x' }).status).toBe(200);
  });

  it('needs something that has health(): a client has none', () => {
    const { hub } = stage();
    expect(() => livenessHandler(hub as never)).toThrow(
      'livenessHandler: pass a poller, a fleet or a worker',
    );
    expect(() => readinessHandler(undefined as never)).toThrow('readinessHandler: pass a poller');
  });
});
