import Database from 'libsql';
import { memoryState, type State } from 'opendelivery-client';
import { sqliteInbox } from 'opendelivery-client/sql';
import { expect, it, onTestFinished } from 'vitest';
import { clientOf, stage } from '../support.js';

async function opened(isLost: (sql: string) => boolean = () => false, options = {}) {
  const database = new Database(':memory:');
  onTestFinished(() => void database.close());
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

it('reports no failed event on standby, which another process has handled', async () => {
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
    const database = new Database(':memory:');
    onTestFinished(() => void database.close());
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
