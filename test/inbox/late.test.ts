import { type Clock, type FleetStore, memoryState, type State } from 'opendelivery-client';
import { type Commit, sqlInbox, sqliteInbox } from 'opendelivery-client/sql';
import { expect, it } from 'vitest';
import { fleetStage, stores } from '../fleet/support.js';
import { afterAdvance, clientOf, stage } from '../support.js';
import { memoryDatabase } from './support.js';

async function opened(isLost: (sql: string) => boolean = () => false, options = {}) {
  const database = memoryDatabase();
  const inbox = sqliteInbox({
    prepare: (sql: string) => database.prepare(sql),
    exec: (sql: string) => {
      database.exec(sql);
      if (isLost(sql)) throw new Error('the connection broke');
    },
  });
  await inbox.migrate();
  return { database, inbox, ...stage({}, options) };
}

/**
 * A poller whose database is slow. Its time goes on meanwhile, which a manual clock does not let happen.
 *
 * @param answer - to a statement, which `carryOut` carries out.
 */
async function behind(answer: (sql: string, carryOut: () => object[]) => Promise<object[]>) {
  const { database, clock, mock } = await opened();
  const inbox = sqlInbox<undefined>({
    dialect: 'sqlite',
    query: (sql, parameters) => answer(sql, () => database.prepare(sql).all(...parameters) as object[]),
    transaction: (run) => run(undefined),
  });
  const free: Clock = {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    sleep: (...given) => clock.sleep(...given),
  };
  const { hub } = clientOf(mock, { clock: free });
  return { clock, mock, poller: hub.poller({ inbox }).on('error', () => {}) };
}

/** A poller whose claims of events wait while its database is locked. */
async function locked(isLocked: boolean) {
  const lock = { isLocked, waiting: [] as (() => void)[] };
  const all = await behind(async (sql, carryOut) => {
    if (lock.isLocked && /^update \w+ set status = 'running'/.test(sql))
      await new Promise<void>((answer) => lock.waiting.push(answer));
    return carryOut();
  });
  return { ...all, lock };
}

it('runs an event again that a process without the lease has claimed late', async () => {
  const { database, inbox, hub, mock, clock } = await opened();
  let runs = 0;
  const poller = hub.poller({ inbox }).on('error', () => {});
  poller.on('CREATED', async (_event, { commit }) => {
    runs += 1;
    if (runs === 1)
      database.exec("update opendelivery_inbox set owner = 'suspended/1' where status = 'running'");
    await commit(() => {});
  });
  mock.createOrder();
  await poller.start();
  await clock.advance('20s');
  expect(runs).toBe(2);
  expect(await inbox.stats()).toMatchObject({ running: 0, failed: 0 });
  expect(poller.health().listenerError).toBeUndefined();
});

it('runs an event again that a late statement of its own has claimed', async () => {
  const { database, inbox, hub, mock, clock } = await opened();
  let runs = 0;
  let owner: unknown;
  const poller = hub.poller({ inbox }).on('error', () => {});
  poller.on('CREATED', () => {
    runs += 1;
    owner ??= (database.prepare('select owner from opendelivery_inbox').get() as { owner: string }).owner;
    if (runs === 1) throw new Error('no paper');
  });
  mock.createOrder();
  await poller.start();
  await clock.advance('3s');
  // It waited for a connection for longer than its answer was awaited.
  database.prepare("update opendelivery_inbox set status = 'running', owner = ?").run(owner as string);
  await clock.advance('1m');
  expect(runs).toBe(2);
  expect(await inbox.stats()).toMatchObject({ running: 0, failed: 0 });
});

it('gives commands back that a stop has kept from being sent, before it resolves', async () => {
  const { database, inbox, hub, mock, clock } = await opened();
  const answered = async (...given: Parameters<typeof inbox.tables.answered>) => {
    for (let turn = 0; turn < 20; turn += 1) await null;
    return inbox.tables.answered(...given);
  };
  const get = (target: object, name: string) =>
    name === 'answered' ? answered : Reflect.get(target, name).bind(target);
  const poller = hub.poller({ inbox: { ...inbox, tables: new Proxy(inbox.tables, { get: get as never }) } });
  poller.on('CREATED', ({ orderId }, { commit }) =>
    commit((_tx, outbox) => outbox.updateStatus(orderId, 'tracking', {})),
  );
  // More than the hub's limit of a minute.
  for (let count = 0; count < 110; count += 1) mock.createOrder();
  await poller.start();
  await clock.advance('5s');
  const statuses = () =>
    database.prepare('select distinct status from opendelivery_outbox where answered_at is null').all();
  expect(statuses()).toContainEqual({ status: 'sending' });
  const left = poller.stop({ timeoutMs: 1000 }).then(statuses);
  await clock.advance('2s');
  expect(await left).toEqual([{ status: 'waiting' }]);
});

it('stops a second after its time limit if the database does not answer about commands', async () => {
  let isAway = false;
  const { mock, clock, poller } = await behind((_sql, carryOut) =>
    isAway ? new Promise(() => {}) : Promise.resolve(carryOut()),
  );
  poller.on('CREATED', ({ orderId }, { commit }) =>
    commit((_tx, outbox) => outbox.updateStatus(orderId, 'tracking', {})),
  );
  for (let count = 0; count < 110; count += 1) mock.createOrder();
  await poller.start();
  await clock.advance('5s');
  isAway = true;
  let isOver = false;
  void poller.stop({ timeoutMs: 1000 }).finally(() => {
    isOver = true;
  });
  await clock.advance('2s');
  expect(isOver).toBe(true);
});

it.each(['answered at last', 'never answered'])(
  'lets at most two statements of a store wait for a lock in five minutes: %s',
  async (what) => {
    const { mock, clock, poller, lock } = await locked(true);
    let handled = 0;
    poller.on('CREATED', () => {
      handled += 1;
    });
    mock.createOrder();
    await poller.start();
    await clock.advance('3m');
    mock.createOrder();
    await clock.advance('1m');
    expect(lock.waiting.length).toBe(2);
    // What the next polls bring waits for no lock: it is stored and acknowledged.
    expect(mock.pending()).toEqual([]);
    lock.isLocked = false;
    if (what === 'answered at last') for (const answer of lock.waiting) answer();
    await clock.advance('15s');
    expect(handled).toBe(what === 'answered at last' ? 2 : 0);
    await clock.advance('2m');
    expect(handled).toBe(2);
  },
);

it('sends a command whose claim was carried out without an answer', async () => {
  let claims = 0;
  const { mock, clock, poller } = await behind(async (sql, carryOut) => {
    const rows = carryOut();
    const isClaim = sql.includes("set status = 'sending'") && rows.length > 0;
    if (isClaim) claims += 1;
    return isClaim && claims === 1 ? new Promise(() => {}) : rows;
  });
  poller.on('CREATED', ({ orderId }, { commit }) =>
    commit((_tx, outbox) => outbox.updateStatus(orderId, 'tracking', {})),
  );
  mock.createOrder();
  await poller.start();
  await clock.advance('3m');
  expect(mock.requests.filter(({ path }) => path.endsWith('/tracking'))).toHaveLength(1);
});

it('answers pushes while claims wait for a lock', async () => {
  const { mock, clock, poller, lock } = await locked(false);
  poller.on('CREATED', () => {});
  await poller.start();
  lock.isLocked = true;
  mock.createOrder();
  await clock.advance('3m');
  const push = mock.push((request) => poller.receive(request));
  mock.createOrder();
  await clock.advance('5s');
  push.stop();
  expect(push.deliveries.map(({ status }) => status)).toEqual([200]);
  lock.isLocked = false;
  for (const answer of lock.waiting) answer();
});

it('asks for a proof of a command whose answer it could not write before its store was removed and added', async () => {
  const { database } = await opened();
  const memory = memoryState();
  let isAway = false;
  const reach = <Result>(call: () => Result): Result => {
    if (isAway) throw new Error('the server is away');
    return call();
  };
  const get =
    (_target: State, name: keyof State) =>
    (...given: never[]) =>
      reach(() => (memory[name] as (...all: never[]) => unknown).apply(memory, given));
  const inbox = sqlInbox<never>({
    dialect: 'sqlite',
    query: async (sql, parameters) => {
      // The state is in the same database, which goes away when the answer to the command is written.
      isAway ||= sql.includes('tried_at =');
      return reach(() => database.prepare(sql).all(...parameters) as object[]);
    },
    transaction: (run) => run(undefined as never),
  });
  const [store] = stores(1) as [FleetStore];
  const { clock, mock, fleet } = fleetStage([store], {
    state: new Proxy(memory, { get }),
    poller: { inbox },
  });
  fleet.on('error', () => {});
  fleet.on('CREATED', ({ orderId }, context) =>
    (context as { commit: Commit<unknown> }).commit((_tx, outbox) => outbox.confirm(orderId)),
  );
  mock.createOrder({ clientId: store.clientId as string });
  void fleet.start();
  const confirmed = () => mock.requests.filter(({ path }) => path.endsWith('/confirm')).length;
  for (let turns = 0; turns < 2000 && confirmed() === 0; turns += 1) await clock.advance(20);
  await afterAdvance(clock, '40s', fleet.remove(store.storeId));
  isAway = false;
  await afterAdvance(clock, '1s', fleet.add(store));
  await clock.advance('5m');
  expect(confirmed()).toBe(1);
  await afterAdvance(clock, '1m', fleet.stop());
});

it('does not report an event as dead or failed whose commit was carried out without an answer', async () => {
  let isCommitting = false;
  const { inbox, hub, mock, clock } = await opened((sql) => {
    const isLost = isCommitting && sql === 'commit';
    if (isLost) isCommitting = false;
    return isLost;
  });
  const dead: string[] = [];
  const poller = hub.poller({ inbox, maxAttempts: 1 }).on('error', () => {});
  poller.on('deadLetter', ({ event }) => void dead.push(event.eventId));
  poller.on('CREATED', (_event, { commit }) =>
    commit(() => {
      isCommitting = true;
    }),
  );
  mock.createOrder();
  await poller.start();
  await clock.advance('20s');
  expect(await inbox.stats()).toMatchObject({ running: 0, failed: 0, dead: 0 });
  expect(dead).toEqual([]);
  expect(poller.health().listenerError).toBeUndefined();
});

it('reports no failed event on standby, which another process has handled', { tags: 'slow' }, async () => {
  const shared = memoryState();
  let isAway = false;
  const away = () => Promise.reject(new Error('the state is away'));
  const get = (_target: State, name: keyof State) => (isAway ? away : shared[name].bind(shared));
  const state = new Proxy(shared, { get });
  const { inbox, hub, mock, clock } = await opened(undefined, { state });
  const retryDelayMs = { min: 600_000, max: 600_000 };
  const poller = hub.poller({ inbox, retryDelayMs }).on('error', () => {});
  poller.on('CREATED', () => {
    throw new Error('the printer is off');
  });
  mock.createOrder();
  await poller.start();
  await clock.advance('5s');
  isAway = true;
  let handled = 0;
  const other = clientOf(mock, { clock, state: shared }).hub.poller({ inbox, retryDelayMs });
  other.on('CREATED', () => {
    handled += 1;
  });
  void other.start();
  await clock.advance('20m');
  isAway = false;
  await clock.advance('5m');
  expect(handled).toBe(1);
  expect(poller.health()).toMatchObject({ status: 'standby', listenerError: undefined });
});

it.each(['tracking', 'pickedUp'])(
  'writes the answer to %s again if the database was away',
  async (command) => {
    let isAway = false;
    const database = memoryDatabase();
    const inbox = sqliteInbox({
      exec: (sql: string) => database.exec(sql),
      prepare: (sql: string) => {
        if (
          isAway &&
          /^update opendelivery_outbox set status = \?|^update opendelivery_outbox\nset/.test(sql)
        ) {
          isAway = false;
          throw new Error('the server is away');
        }
        return database.prepare(sql);
      },
    });
    await inbox.migrate();
    const { hub, mock, clock } = stage();
    const refused: (string | undefined)[] = [];
    const poller = hub.poller({ inbox }).on('error', () => {});
    poller.on('commandRefused', ({ error }) => void refused.push((error as { outcome?: string }).outcome));
    poller.on('CREATED', ({ orderId }, { commit }) =>
      commit((_tx, outbox) => {
        isAway = true;
        outbox.updateStatus(orderId, command, {});
      }),
    );
    mock.createOrder();
    await poller.start();
    await clock.advance('3m');
    expect(isAway).toBe(false);
    // The hub has refused it once; nothing is unknown.
    expect(refused).toEqual([undefined]);
    expect(mock.requests.filter(({ path }) => path.endsWith(`/${command}`))).toHaveLength(1);
  },
);
