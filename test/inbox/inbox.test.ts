import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import type Database from 'libsql';
import {
  ConfigurationError,
  type EventPoller,
  type HubClient,
  isHubError,
  memoryState,
} from 'opendelivery-client';
import { type Inbox, type SqlValue, sqlInbox, sqliteInbox } from 'opendelivery-client/sql';
import { createMockHub, ManualClock } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { pushOf } from '../events/push/support.js';
import { fleetOf, fleetStage, hubWith, stores } from '../fleet/support.js';
import { runs } from '../runs.js';
import { afterAdvance, clientOf, gate, requestsTo, stage } from '../support.js';
import { memoryDatabase, memoryInbox } from './support.js';

/** An inbox in memory whose statements are counted, and can fail. */
async function countedInbox() {
  const database = memoryDatabase();
  database.exec('create table tickets (order_id text)');
  const statements: string[] = [];
  const broken = { is: false };
  /** The next statement of which it is true is carried out, and its answer is lost. */
  const lost: { next: ((sql: string) => boolean) | undefined } = { next: undefined };
  let last: Promise<unknown> = Promise.resolve();
  const inbox: Inbox<Database.Database> = sqlInbox({
    dialect: 'sqlite',
    query: (sql, parameters) => {
      if (broken.is) throw new Error('the server is away');
      statements.push(sql);
      if (/^create/.test(sql)) {
        database.exec(sql);
        return [];
      }
      const rows = database.prepare(sql).all(...(parameters as SqlValue[])) as object[];
      if (!lost.next?.(sql)) return rows;
      lost.next = undefined;
      throw new Error('the connection broke');
    },
    // There is one connection: one transaction at a time.
    transaction: (run) => {
      const transact = async () => {
        database.exec('begin');
        try {
          const result = await run(database);
          database.exec('commit');
          return result;
        } catch (error) {
          database.exec('rollback');
          throw error;
        }
      };
      const result = last.then(transact);
      last = result.catch(() => {});
      return result;
    },
  });
  await inbox.migrate();
  const tickets = () =>
    (database.prepare('select order_id from tickets').all() as { order_id: string }[]).map(
      (row) => row.order_id,
    );
  return { inbox, database, statements, broken, lost, tickets };
}

/** A poller with such an inbox, and its hub. */
async function polling(...given: Parameters<typeof stage>) {
  const [counted, all] = [await countedInbox(), stage(...given)];
  return { ...counted, ...all, poller: all.hub.poller({ inbox: counted.inbox }) };
}

const ticketOf = (tx: Database.Database, orderId: string) =>
  tx.prepare('insert into tickets (order_id) values (?)').run(orderId);

type Poller = Awaited<ReturnType<typeof polling>>['poller'];

/** The commands that are reported as refused. */
function refusedBy(poller: Poller): string[] {
  const refused: string[] = [];
  poller.on('error', () => {}).on('commandRefused', ({ command }) => void refused.push(command));
  return refused;
}

/** Confirms each new order with the outbox. @returns the commands that are reported as refused. */
function confirming(poller: Poller): string[] {
  poller.on('CREATED', ({ orderId }, { commit }) => commit((_tx, outbox) => outbox.confirm(orderId)));
  return refusedBy(poller);
}

/** From now on it can never be written that an event of this order has failed. */
const keepFromFailing = (database: Database.Database, orderId: string) =>
  database.exec(`create trigger never before update on opendelivery_inbox
when new.status = 'failed' and new.order_id = '${orderId}' begin select raise(abort, 'never'); end`);

describe('a poller with an inbox', () => {
  it.each([
    ['acknowledge', ['CREATED']],
    ['leave', ['CREATED', 'CONFIRMED']],
  ] as const)('leaves at the hub what has no listener, with unhandled: %s', async (unhandled, pending) => {
    const { inbox } = await countedInbox();
    const { clock, hub, mock } = stage();
    const poller = hub.poller({ inbox, unhandled });
    poller.on('DISPATCHED', () => {});
    const { orderId } = mock.createOrder();
    mock.emit('CONFIRMED', { orderId });
    mock.emit('DISPATCHED', { orderId });
    await poller.start();
    await clock.advance('1m');
    expect(mock.pending().map(({ eventType }) => eventType)).toEqual(pending);
  });

  it('does not keep an order waiting for an event whose listener a deploy has removed', async () => {
    const { inbox } = await countedInbox();
    const { clock, hub, mock } = stage({}, { state: memoryState() });
    const before = hub.poller({ inbox }).on('error', () => {});
    before.on('CREATED', () => {
      throw new Error('no paper');
    });
    before.on('PREPARING', () => {});
    const { orderId } = mock.createOrder();
    mock.emit('PREPARING', { orderId });
    await before.start();
    await clock.advance('1s');
    await before.stop();
    const seen: string[] = [];
    const after = hub.poller({ inbox });
    after.on('CREATED', () => void seen.push('CREATED'));
    after.on('ORDER_CANCELLATION_REQUEST', () => void seen.push('ORDER_CANCELLATION_REQUEST'));
    after.on('unhandled', ({ event }) => void seen.push(`${event.eventType} unhandled`));
    mock.emit('ORDER_CANCELLATION_REQUEST', { orderId });
    await after.start();
    await clock.advance('3m');
    expect(seen).toEqual(['CREATED', 'PREPARING unhandled', 'ORDER_CANCELLATION_REQUEST']);
  });

  it.each([
    ['was tried', 'PREPARING'],
    ['wants an answer', 'ORDER_CANCELLATION_REQUEST'],
  ])('keeps an event that %s for a version that has its listener', async (_why, type) => {
    const { inbox } = await countedInbox();
    const { clock, hub, mock } = stage({}, { state: memoryState() });
    const before = hub.poller({ inbox }).on('error', () => {});
    const fail = () => {
      throw new Error('no paper');
    };
    if (type === 'PREPARING') before.on(type, fail);
    else before.on('CREATED', fail).on(type, () => {});
    const { orderId } = mock.createOrder();
    mock.emit(type, { orderId });
    await before.start();
    await clock.advance('1s');
    await before.stop();
    const without = hub.poller({ inbox }).on('error', () => {});
    without.on(type === 'PREPARING' ? 'DISPATCHED' : 'CREATED', () => {});
    await afterAdvance(clock, '1m', without.start());
    await clock.advance('3m');
    await afterAdvance(clock, '10s', without.stop());
    const seen: string[] = [];
    const after = hub.poller({ inbox }).on('event', ({ eventType }) => void seen.push(eventType));
    await afterAdvance(clock, '1m', after.start());
    await clock.advance('3m');
    expect(seen).toContain(type);
  });

  it('refuses a commit that comes after its listener', async () => {
    const { clock, mock, poller, tickets } = await polling();
    const late: unknown[] = [];
    poller.on('CREATED', ({ orderId }, { commit }) => {
      void clock
        .sleep(1000)
        .then(() => commit((tx) => void ticketOf(tx, orderId)))
        .catch((error: unknown) => late.push(error));
    });
    mock.createOrder();
    await poller.start();
    await clock.advance('10s');
    const message = expect.stringContaining('was called after its listener had ended');
    expect([late, tickets()]).toEqual([[expect.objectContaining({ code: 'configuration', message })], []]);
  });

  it('keeps an event for the next listener of an application that has removed its first one', async () => {
    const { clock, mock, poller, tickets } = await polling();
    poller.on('error', () => {});
    const orderIds = [mock.createOrder(), mock.createOrder()].map(({ orderId }) => orderId);
    for (const orderId of orderIds) mock.emit('CONFIRMED', { orderId });
    const take: Parameters<typeof poller.once<'CONFIRMED'>>[1] = ({ orderId }, { commit }) =>
      commit((tx) => void ticketOf(tx, orderId));
    poller.on('CREATED', () => {});
    poller.once('CONFIRMED', take);
    await poller.start();
    await clock.advance('2m');
    expect([tickets(), mock.pending()]).toEqual([orderIds.slice(0, 1), []]);
    poller.on('CONFIRMED', take);
    await clock.advance('3m');
    expect(tickets()).toEqual(orderIds);
  });

  it('commits with a lease whose time is over and that nobody else has had', async () => {
    const { clock, mock, poller, tickets } = await polling();
    let runs = 0;
    poller.on('CREATED', ({ orderId }, { commit }) => {
      runs += 1;
      // As after a minute of work that keeps the event loop busy: no timer has had its turn.
      clock.step(60_000);
      return commit((tx) => void ticketOf(tx, orderId));
    });
    const { orderId } = mock.createOrder();
    await poller.start();
    await clock.advance('5s');
    expect([runs, tickets()]).toEqual([1, [orderId]]);
  });

  it('takes at most 2 statements for an idle poll, and 5 for one with 100 events', async () => {
    const { inbox, statements, hub, mock, poller } = await polling();
    poller.on('event', () => {});
    await poller.runOnce();
    statements.length = 0;
    await poller.runOnce();
    // Beside these, the first statement of a start lets failed events run, and runOnce asks for commands.
    expect(statements.length).toBeLessThanOrEqual(4);
    for (let count = 0; count < 100; count += 1) mock.createOrder();
    await hub.close();
    const second = stage({}, { state: memoryState() });
    const running = second.hub.poller({ inbox }).on('event', () => {});
    await running.start();
    await second.clock.advance('10s');
    for (let count = 0; count < 100; count += 1) second.mock.createOrder();
    const before = statements.length;
    await second.clock.advance('19s');
    const looks = statements.slice(before).filter((sql) => sql.includes('union')).length;
    expect(statements.length - before - looks).toBe(0);
    const beforePoll = statements.length;
    await second.clock.advance('2s');
    const ofPoll = statements.slice(beforePoll).filter((sql) => !sql.includes('union'));
    expect(second.mock.acknowledged()).toHaveLength(100);
    expect(ofPoll.length).toBeLessThanOrEqual(5);
  });

  it('takes at most 6 statements for an event that is committed with a command', async () => {
    const { statements, mock, clock, poller } = await polling({ latencyMs: 20 });
    poller.on('CREATED', async ({ orderId }, { commit }) => {
      await commit((tx, outbox) => {
        ticketOf(tx, orderId);
        outbox.confirm(orderId);
      });
    });
    void poller.start();
    await clock.advance('1s');
    for (let count = 0; count < 100; count += 1) mock.createOrder();
    statements.length = 0;
    await clock.advance('1m');
    expect(mock.emitted().filter(({ eventType }) => eventType === 'CONFIRMED')).toHaveLength(100);
    // Beside begin and commit, which this inbox does not count.
    const own = statements.filter((sql) => !sql.includes('union')).length / 100;
    expect(own + 2).toBeLessThanOrEqual(6);
  });

  it('sends no command of a transaction that its callback has rolled back', async () => {
    const { inbox } = await memoryInbox();
    const { hub, mock, clock } = stage();
    const poller = hub.poller({ inbox }).on('error', () => {});
    poller.on('CREATED', ({ orderId }, { commit }) =>
      commit((tx, outbox) => {
        outbox.confirm(orderId);
        tx.exec('rollback');
      }),
    );
    const { orderId } = mock.createOrder();
    await poller.start();
    await clock.advance('20s');
    expect(await inbox.stats()).toMatchObject({ failed: 1, commands: 0 });
    expect((await inbox.history({ orderId })).commands).toEqual([]);
  });

  it('does not take the denial of an earlier cancellation request for the answer to a lost one', async () => {
    const { hub, mock, clock, poller } = await polling({ cancellation: 'deny' });
    const refused: unknown[] = [];
    poller.on(
      'commandRefused',
      ({ command, error }) => void refused.push([command, isHubError(error) && error.outcome]),
    );
    const request = (code: string) => ({ reason: 'no rice', code, mode: 'AUTO' });
    poller.on('CREATED', ({ orderId }, { commit }) =>
      commit((_tx, outbox) => outbox.requestCancellation(orderId, request('SYSTEMIC_ISSUES'))),
    );
    let isFirst = true;
    poller.on('CANCELLATION_REQUEST_DENIED', async ({ orderId }, { commit }) => {
      if (!isFirst) return;
      isFirst = false;
      mock.faults.next('orderStatus', 'reset');
      await commit((_tx, outbox) => outbox.requestCancellation(orderId, request('UNAVAILABLE_ITEM')));
    });
    mock.createOrder();
    await poller.start();
    await clock.advance('10m');
    const requested = mock.emitted().filter(({ eventType }) => eventType === 'CANCELLATION_REQUESTED');
    expect([requested.length, refused]).toEqual([1, [['requestCancellation', 'unknown']]]);
    await afterAdvance(clock, '1m', hub.close());
  });

  it('asks for no commands when a commit has recorded none', async () => {
    const { inbox, statements, mock, clock, poller } = await polling();
    poller.on('CREATED', ({ orderId }, { commit }) => commit((tx) => void ticketOf(tx, orderId)));
    await poller.start();
    for (let count = 0; count < 50; count += 1) mock.createOrder();
    statements.length = 0;
    await clock.advance('31s');
    expect(await inbox.stats()).toMatchObject({ waiting: 0, running: 0 });
    expect(statements.filter((sql) => sql.startsWith('update opendelivery_outbox'))).toEqual([]);
  });

  it('acknowledges every event within two seconds of its poll, however long its listener takes', {
    tags: 'slow',
  }, async () => {
    const { mock, clock, poller } = await polling({ latencyMs: 200 });
    poller.on('event', () => clock.sleep(40_000));
    void poller.start();
    for (let minute = 0; minute < 20; minute += 1) {
      for (let count = 0; count < minute; count += 1) mock.createOrder();
      await clock.advance('1m');
    }
    const polledAt = new Map<string, number>();
    const waitedMs: number[] = [];
    for (const { events = [], acknowledged = [], answeredMonotonicAt = 0 } of mock.requests) {
      for (const { eventId } of events)
        if (!polledAt.has(eventId)) polledAt.set(eventId, answeredMonotonicAt);
      for (const eventId of acknowledged)
        waitedMs.push(answeredMonotonicAt - (polledAt.get(eventId) as number));
    }
    await afterAdvance(clock, '2m', poller.stop());
    expect(waitedMs.length).toBeGreaterThan(100);
    expect(Math.max(...waitedMs)).toBeLessThanOrEqual(2000);
  });

  it('sends no poll and acknowledges nothing while the database is away, and then goes on', async () => {
    const { broken, tickets, mock, clock, poller } = await polling();
    const errors: string[] = [];
    poller.on('CREATED', ({ orderId }, { commit }) => commit((tx) => void ticketOf(tx, orderId)));
    poller.on('error', ({ message }) => errors.push(message));
    await poller.start();
    await clock.advance('10s');
    broken.is = true;
    const { orderId } = mock.createOrder();
    await clock.advance('2s');
    const polls = () => mock.requests.filter(({ endpoint }) => endpoint === 'polling').length;
    const before = polls();
    await clock.advance('2m');
    expect([polls() - before, mock.acknowledged(), tickets()]).toEqual([0, [], []]);
    expect(errors[0]).toContain('the inbox cannot be reached (Error: the server is away)');
    broken.is = false;
    await clock.advance('5m');
    expect([mock.pending(), tickets()]).toEqual([[], [orderId]]);
  });

  it('sends no poll in a runOnce while the database is away', async () => {
    const { broken, mock, clock, poller } = await polling();
    poller.on('CREATED', () => {}).on('error', () => {});
    mock.createOrder();
    broken.is = true;
    const failed = poller.runOnce().catch(({ message }: Error) => message);
    expect(await afterAdvance(clock, '10s', failed)).toContain('the inbox cannot be reached');
    expect(requestsTo(mock, 'polling')).toEqual([]);
    broken.is = false;
    await afterAdvance(clock, '1m', poller.runOnce());
    expect(mock.pending()).toEqual([]);
  });

  it('says what to do if the tables are missing', async () => {
    const { hub, clock } = stage();
    const errors: string[] = [];
    const database = memoryDatabase();
    const poller = hub.poller({ inbox: sqliteInbox(database) }).on('event', () => {});
    poller.on('error', ({ message }) => errors.push(message));
    void poller.start();
    await clock.advance('1s');
    expect(errors[0]).toContain('call `await inbox.migrate()` once');
  });

  it.each<readonly [string, (inbox: Inbox<Database.Database>) => Promise<unknown>]>([
    ['stats', (inbox) => inbox.stats()],
    ['dead', (inbox) => inbox.dead()],
    ['history', (inbox) => inbox.history({ orderId: 'o' })],
    ['redrive', (inbox) => inbox.redrive({ all: true })],
    ['prune', (inbox) => inbox.prune({ olderThanMs: 0 })],
  ])('says in %s what to do if the tables are missing', async (_name, call) => {
    const database = memoryDatabase();
    await expect(call(sqliteInbox(database))).rejects.toMatchObject({
      code: 'state',
      message: expect.stringContaining('call `await inbox.migrate()` once'),
    });
  });

  it.each([
    ['42P01', 'relation "opendelivery.inbox" does not exist', true],
    ['42703', 'column "owner" does not exist', true],
    ['P2010', 'Raw query failed. Code: `42P01`. Message: …', true],
    ['3D000', 'database "nodb" does not exist', false],
    ['28000', 'role "app" does not exist', false],
  ])('knows from %s (%s) whether tables are missing: %s', async (code, message, isMissing) => {
    const query = () => Promise.reject(Object.assign(new Error(message), { code }));
    const stats = sqlInbox({ dialect: 'postgres', query, transaction: query }).stats();
    const failed = (await stats.catch((error: unknown) => error)) as Error;
    expect(failed).toMatchObject({ message: expect.stringContaining(message), cause: { message, code } });
    expect(failed.message.includes('inbox.migrate()')).toBe(isMissing);
  });

  it('keeps the name of the last error of what has succeeded since', async () => {
    const { inbox, mock, clock, poller } = await polling();
    let calls = 0;
    poller
      .on('error', () => {})
      .on('CREATED', async ({ orderId }, { commit }) => {
        calls += 1;
        if (calls === 1) throw new TypeError('a secret of the customer');
        await commit((_tx, outbox) => outbox.confirm(orderId));
      });
    mock.faults.next('orderStatus', { status: 429, headers: { 'retry-after': '5' } });
    const { orderId } = mock.createOrder();
    void poller.start();
    await clock.advance('3m');
    const { events, commands } = await inbox.history({ orderId });
    expect(events).toMatchObject([{ status: 'handled', attempts: 2, error: 'TypeError' }]);
    expect(commands).toMatchObject([{ status: 'sent', attempts: 2, error: 'RateLimitError' }]);
  });

  it.each([
    ['undefined', undefined, 'Error'],
    ['a number', 42, 'Error'],
    ['text that a database would cut', 'a\0b', 'a\0b'],
  ])('runs an event again whose error has a name that is %s', async (_what, name, stored) => {
    const { inbox, mock, clock, poller } = await polling();
    let calls = 0;
    poller
      .on('error', () => {})
      .on('CREATED', ({ orderId }, { commit }) => {
        calls += 1;
        if (calls === 1) throw Object.assign(new Error('no such product'), { name });
        return commit((_tx, outbox) => outbox.confirm(orderId));
      });
    const { orderId } = mock.createOrder();
    void poller.start();
    await clock.advance('3m');
    const { events, commands } = await inbox.history({ orderId });
    expect(events).toMatchObject([{ status: 'handled', attempts: 2, error: stored }]);
    expect(commands).toMatchObject([{ status: 'sent' }]);
  });

  it('writes what it could not write, although there is something that can never be written', async () => {
    let leave = () => {};
    const { inbox, database, broken, mock, clock, poller } = await polling({
      onRequest: ({ endpoint }) => endpoint === 'orderStatus' && leave(),
    });
    poller
      .on('error', () => {})
      .on('CREATED', ({ orderId }, { commit }) => {
        if (orderId === never.orderId) throw new Error('out of paper');
        return commit((_tx, outbox) => outbox.confirm(orderId));
      });
    const never = mock.createOrder();
    keepFromFailing(database, never.orderId);
    void poller.start();
    await clock.advance('1m');
    leave = () => {
      broken.is = true;
    };
    const { orderId } = mock.createOrder();
    await clock.advance('1m');
    expect(broken.is).toBe(true);
    leave = () => {};
    broken.is = false;
    await clock.advance('1m');
    expect((await inbox.history({ orderId })).commands).toMatchObject([{ status: 'sent' }]);
  });

  it('writes at a stop what it could not write, although there is something that can never be written', async () => {
    const { inbox, database, broken, mock, clock, poller } = await polling();
    const never = mock.createOrder();
    keepFromFailing(database, never.orderId);
    poller
      .on('error', () => {})
      .on('CREATED', ({ orderId }) => {
        if (orderId === never.orderId) throw new Error('out of paper');
        broken.is = true;
      });
    void poller.start();
    await clock.advance('5s');
    const { orderId } = mock.createOrder();
    await clock.advance('30s');
    expect(broken.is).toBe(true);
    broken.is = false;
    await poller.stop();
    expect((await inbox.history({ orderId })).events).toMatchObject([{ status: 'handled' }]);
  });

  it.each(['migrate', 'dead'] as const)('says in %s that the library renames columns', async (method) => {
    const inbox = sqlInbox<object>({
      dialect: 'postgres',
      query: async (text) => {
        const camel = (name: string) => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
        const [, name = 'order_id'] = /^select (?:.*? as )?(\w+)/.exec(text) ?? [];
        return text.startsWith('select') ? [{ [camel(name)]: '2' }] : [];
      },
      transaction: (run) => run({}),
    });
    await expect(inbox[method]()).rejects.toThrow(
      /query: must return columns under their own names, such as event_key, and not '(?:lastMade|orderId)'/,
    );
  });

  it('prunes a day of many stores in parts', async () => {
    const { inbox, database, statements } = await countedInbox();
    database.exec(`insert into opendelivery_inbox (hub, store_id, event_key, event_id, order_id, event_type, event, status,
        attempts, counted, due_at, received_at, handled_at)
      with recursive n(i) as (select 1 union all select i + 1 from n where i < 12000)
      select 'hub', 'loja', i, i, i, 'CREATED', '{}', 'handled', 1, 1, '', '', '2020-01-01T00:00:00.000Z' from n`);
    statements.length = 0;
    expect(await inbox.prune({ olderThanMs: 1000 })).toBe(12_000);
    expect(statements.filter((sql) => sql.startsWith('delete from opendelivery_inbox'))).toHaveLength(3);
    expect(await inbox.prune({ olderThanMs: 1000 })).toBe(0);
  });

  it('does not prune refused commands', async () => {
    const { inbox, mock, clock, poller } = await polling();
    poller.on('CREATED', ({ orderId }, { commit }) =>
      commit((_tx, outbox) => {
        outbox.updateStatus(orderId, 'no-such-command');
        outbox.confirm(orderId);
      }),
    );
    const { orderId } = mock.createOrder();
    void poller.start();
    await clock.advance('1m');
    expect(await inbox.prune({ olderThanMs: 1000 })).toBe(2);
    const { events, commands } = await inbox.history({ orderId });
    expect([events.length, commands.map(({ status }) => status)]).toEqual([0, ['refused']]);
  });

  it('has one listener for an event', async () => {
    const { inbox, hub, poller } = await polling();
    poller.on('CREATED', () => {});
    poller.on('deadLetter', () => {}).on('deadLetter', () => {});
    poller.on('DISPATCHED', () => {}).on('polled', () => {});
    expect(() => poller.on('CREATED', () => {})).toThrow(ConfigurationError);
    expect(() => poller.on('event', () => {})).toThrow("'CREATED' has one already");
    const all = hub.poller({ inbox }).on('event', () => {});
    expect(() => all.on('CREATED', () => {})).toThrow("'event' has one already");
  });

  it('refuses an asynchronous callback of sqliteInbox', async () => {
    const { inbox } = await memoryInbox();
    const { hub, mock, clock } = stage();
    const errors: unknown[] = [];
    const holds = new Set<unknown>();
    const hold = clock.hold.bind(clock);
    clock.hold = () => {
      const release = hold();
      holds.add(release);
      return () => {
        release();
        holds.delete(release);
      };
    };
    const poller = hub.poller({ inbox }).on('CREATED', async ({ orderId }, { commit }) => {
      await commit(async (_tx, outbox) => outbox.confirm(orderId));
    });
    poller.on('error', (error) => void errors.push(error));
    const { event } = mock.createOrder();
    const report = await poller.runOnce();
    expect(errors).toEqual([expect.any(ConfigurationError)]);
    expect(report.failures).toEqual([{ eventId: event.eventId, error: errors[0] }]);
    // Nothing of it is stored, and virtual time does not wait for it.
    expect(await inbox.stats()).toMatchObject({ failed: 1, commands: 0 });
    await clock.advance(0);
    expect(holds.size).toBe(0);
  });

  it('handles the events whose claim was lost on its way back', async () => {
    const { tickets, lost, mock, clock, poller } = await polling();
    poller.on('error', () => {});
    poller.on('CREATED', ({ orderId }, { commit }) => commit((tx) => void ticketOf(tx, orderId)));
    await poller.start();
    const { orderId } = mock.createOrder();
    lost.next = (sql) => sql.includes('started_at =');
    await clock.advance('40s');
    expect(lost.next).toBeUndefined();
    expect(tickets()).toEqual([orderId]);
  });

  it('does not run a once listener twice at a time, and does not ask again and again meanwhile', async () => {
    const { statements, mock, clock, poller } = await polling();
    const handled: string[] = [];
    poller.once('CREATED', async ({ orderId }) => {
      await clock.sleep(20_000);
      handled.push(orderId);
    });
    mock.createOrder();
    mock.createOrder();
    await poller.start();
    await clock.advance('10s');
    expect(statements.length).toBeLessThan(100);
    await clock.advance('20s');
    expect(handled).toHaveLength(1);
  });

  it('kills nothing that was not tried, if the process ends with one attempt allowed', async () => {
    const { inbox } = await countedInbox();
    const state = memoryState();
    const { hub, mock, clock } = stage({}, { state });
    const first = hub.poller({ inbox, maxAttempts: 1, concurrency: 1 });
    first.on('CREATED', () => new Promise(() => {}));
    for (let count = 0; count < 5; count += 1) mock.createOrder();
    await first.start();
    await clock.advance('1s');
    expect(await inbox.stats()).toMatchObject({ running: 5 });
    // As another process sees them: claimed by somebody who has gone.
    const dead: number[] = [];
    const { hub: other } = clientOf(mock, { clock });
    const second = other.poller({ inbox, maxAttempts: 1 }).on('error', () => {});
    second.on('deadLetter', ({ attempts }) => void dead.push(attempts));
    const handled: string[] = [];
    second.on('CREATED', ({ orderId }) => void handled.push(orderId));
    void second.start().catch(() => {});
    await clock.advance('1m');
    expect([dead, handled.length]).toEqual([[1], 4]);
    const closing = [other.close({ timeoutMs: 0 }), hub.close({ timeoutMs: 0 })];
    await afterAdvance(clock, '1m', Promise.all(closing));
  });

  it.each([
    ['three attempts from the start', [3, 3, 3, 3]],
    ['no limit, and then three attempts', [Infinity, Infinity, Infinity, 3]],
  ])('kills only what has killed its process, with %s', async (_, limits) => {
    const { database } = await countedInbox();
    const clock = new ManualClock();
    const mock = createMockHub({ clock });
    const orders = Array.from({ length: 20 }, () => mock.createOrder().orderId);
    const dead: string[] = [];
    const handled = new Set<string>();
    const hubs: HubClient[] = [];
    for (const maxAttempts of limits) {
      let isKilled = false;
      const inbox = sqlInbox({
        dialect: 'sqlite',
        query: (sql, parameters) => {
          if (isKilled) throw new Error('the process is dead');
          return database.prepare(sql).all(...(parameters as SqlValue[])) as object[];
        },
        transaction: async () => {
          throw new Error('not used');
        },
      });
      const { hub } = clientOf(mock, { clock });
      hubs.push(hub);
      const poller = hub.poller({ inbox, maxAttempts }).on('error', () => {});
      poller.on('CREATED', ({ orderId }) => {
        if (!isKilled && orderId !== orders[0]) return void handled.add(orderId);
        isKilled = true;
        return new Promise(() => {});
      });
      poller.on('deadLetter', ({ event }) => void dead.push(event.orderId));
      void poller.start().catch(() => {});
      await clock.advance('2m');
    }
    const closing = hubs.map((hub) => hub.close({ timeoutMs: 0 }));
    await afterAdvance(clock, '1m', Promise.all(closing));
    expect(dead).toEqual([orders[0]]);
    expect(handled).toEqual(new Set(orders.slice(1)));
  });

  it('keeps a command waiting whose token was refused', { tags: 'slow' }, async () => {
    const { mock, clock, poller } = await polling();
    const refused = confirming(poller);
    await poller.start();
    mock.createOrder();
    mock.revokeTokens();
    mock.faults.next('token', { status: 403 }, 3);
    await clock.advance('1m');
    expect(refused).toEqual([]);
    await clock.advance('2h');
    expect(mock.emitted().map(({ eventType }) => eventType)).toContain('CONFIRMED');
  });

  it('handles an event whose id a database would cut or change', async () => {
    const { inbox, mock, clock, poller } = await polling();
    const errors: unknown[] = [];
    const handled: string[] = [];
    poller.on('error', (error) => void errors.push(error));
    poller.on('CONFIRMED', async ({ eventId }, { commit }) => {
      await commit(() => {});
      handled.push(eventId);
    });
    poller.on('CREATED', () => {});
    const { orderId } = mock.createOrder();
    const ids = ['a\0b', 'a', 'x\ud800', 'x\udbff'];
    await poller.start();
    for (const eventId of ids) {
      const createdAt = new Date(clock.now()).toISOString();
      await poller.receive(pushOf({ eventId, orderId, eventType: 'CONFIRMED', createdAt }));
    }
    await clock.advance('2m');
    expect(handled.toSorted()).toEqual(ids.toSorted());
    expect(errors).toEqual([]);
    expect(await inbox.stats()).toMatchObject({ waiting: 0, running: 0, failed: 0 });
  });

  it.each([
    ['a customer who asks to cancel meanwhile', true],
    ['a hub that does not show the last event', false],
  ])('keeps a command that a failing hub does not take, with %s', async (_what, asks) => {
    const { mock, clock, inbox, poller } = await polling();
    const refused = confirming(poller);
    const { orderId, order } = mock.createOrder();
    const body = { ...order, lastEvent: undefined };
    if (!asks) mock.faults.next('order', { type: 'status', status: 200, body } as never, 100);
    void poller.start();
    mock.faults.next('orderStatus', 503, 12);
    await clock.advance('1s');
    if (asks) mock.emit('ORDER_CANCELLATION_REQUEST', { orderId });
    await clock.advance('15m');
    expect(refused).toEqual([]);
    const { commands } = await inbox.history({ orderId });
    expect(commands).toMatchObject([{ command: 'confirm', status: 'sent' }]);
    expect(mock.emitted().map(({ eventType }) => eventType)).toContain('CONFIRMED');
  });

  it('gives a command up after half an hour of a hub that fails and shows nothing', {
    tags: 'slow',
  }, async () => {
    const { mock, clock, inbox, poller } = await polling();
    const refused = confirming(poller);
    const { orderId, order } = mock.createOrder();
    const body = { ...order, lastEvent: undefined };
    mock.faults.next('order', { type: 'status', status: 200, body } as never, 100);
    mock.faults.next('orderStatus', 503, 100);
    void poller.start();
    await clock.advance('20m');
    expect(refused).toEqual([]);
    await clock.advance('40m');
    expect(refused).toEqual(['confirm']);
    const { commands } = await inbox.history({ orderId });
    expect(commands).toMatchObject([{ status: 'refused', outcome: 'unknown' }]);
  });

  it.each([
    ['late', 2, 0],
    ['never, and no poll is accepted for minutes', 100, 5],
  ])(
    'does not report a command as refused that was carried out, although the order shows that %s',
    async (_when, reads, failedPolls) => {
      let isLate = true;
      const { mock, clock, inbox, poller } = await polling({
        onRequest: ({ endpoint }) => {
          if (endpoint === 'orderStatus' && isLate) {
            isLate = false;
            mock.faults.next(
              'order',
              { type: 'status', status: 200, body: { ...order, lastEvent: 'CREATED' } },
              reads,
            );
            if (failedPolls > 0) mock.faults.next('polling', 503, failedPolls);
          }
        },
      });
      const refused = confirming(poller);
      const { orderId, order } = mock.createOrder();
      mock.faults.next('orderStatus', 'lost');
      void poller.start();
      await clock.advance('15m');
      expect(refused).toEqual([]);
      expect((await inbox.history({ orderId })).commands).toMatchObject([{ status: 'sent' }]);
    },
  );

  it('reports no command as refused before the order could be read, which is there already', async () => {
    const { mock, hub, clock, inbox, poller } = await polling();
    const refused = confirming(poller);
    const { orderId } = mock.createOrder();
    await hub.orders.confirm(orderId);
    mock.faults.next('order', 503, 2);
    void poller.start();
    await clock.advance('2m');
    expect(refused).toEqual([]);
    expect((await inbox.history({ orderId })).commands).toMatchObject([{ status: 'sent' }]);
  });

  it('does not answer a later cancellation request with the answer to an earlier one', async () => {
    const { mock, hub, clock, inbox, poller } = await polling();
    const refused = refusedBy(poller);
    poller.on('CREATED', ({ orderId }, { commit }) =>
      commit((_tx, outbox) => outbox.acceptCancellation(orderId)),
    );
    const { orderId } = mock.createOrder();
    mock.emit('ORDER_CANCELLATION_REQUEST', { orderId });
    await hub.orders.denyCancellation(orderId, { reason: 'in the oven', code: 'DISH_ALREADY_DONE' });
    mock.faults.next('order', 503, 2);
    void poller.start();
    await clock.advance('500ms');
    mock.emit('ORDER_CANCELLATION_REQUEST', { orderId });
    await clock.advance('2m');
    expect(refused).toEqual(['acceptCancellation']);
    expect((await inbox.history({ orderId })).commands).toMatchObject([{ status: 'refused', attempts: 1 }]);
    expect(mock.emitted().map(({ eventType }) => eventType)).not.toContain('CANCELLED');
  });

  it('keeps the one resend of a command for after a stop', async () => {
    const { hub, mock, clock, poller } = await polling();
    const refused = confirming(poller);
    mock.faults.next('orderStatus', 'reset');
    // The hub does not show how far the order is; the stop comes when that is known.
    let reads = 0;
    let stopping: Promise<unknown> | undefined;
    const { get } = hub.orders;
    hub.orders.get = (async (...given: Parameters<typeof get>) => {
      reads += 1;
      if (reads === 2) stopping = poller.stop();
      const { order, issues } = (await get.apply(hub.orders, given)) as { order: object; issues: [] };
      return { order: { ...order, lastEvent: undefined }, issues };
    }) as unknown as typeof get;
    mock.createOrder();
    await poller.start();
    for (let step = 0; step < 30 && !stopping; step += 1) await clock.advance('5s');
    await clock.advance('1s');
    await stopping;
    void poller.start();
    await clock.advance('3m');
    expect(mock.requests.filter(({ endpoint }) => endpoint === 'orderStatus')).toHaveLength(2);
    expect(refused).toEqual([]);
  });

  it.each([
    ['with a listener', true],
    ['without one', false],
  ])('takes no event that only informs for a proof of a command, %s', async (_, isHeard) => {
    const { inbox, mock, clock, poller } = await polling();
    confirming(poller);
    if (isHeard) poller.on('PREPARATION_REQUESTED', () => {}).on('PICKUP_AREA_ASSIGNED', () => {});
    const { orderId } = mock.createOrder();
    for (const type of ['PREPARATION_REQUESTED', 'PICKUP_AREA_ASSIGNED']) mock.emit(type, { orderId });
    // The hub does not carry it out.
    mock.faults.next('orderStatus', 503);
    await poller.start();
    await clock.advance('3m');
    expect(mock.emitted().map(({ eventType }) => eventType)).toContain('CONFIRMED');
    expect((await inbox.history({ orderId })).commands.map(({ status }) => status)).toEqual(['sent']);
  });

  it('sends a command again as often as it must, whose order is before it by an event that only informs', async () => {
    const { inbox, mock, clock, poller } = await polling();
    poller.on('error', () => {});
    poller.on('CREATED', ({ orderId }, { commit }) => commit((_tx, outbox) => outbox.preparing(orderId)));
    const { orderId } = mock.createOrder();
    for (const type of ['CONFIRMED', 'PREPARATION_REQUESTED']) mock.emit(type, { orderId });
    mock.faults.next('orderStatus', 503, 3);
    await poller.start();
    await clock.advance('1m');
    const [command] = (await inbox.history({ orderId })).commands;
    expect(command).toMatchObject({ command: 'preparing', status: 'sent', attempts: 4 });
  });

  it('does not take an event that says nothing about a command for a proof', async () => {
    const { inbox, mock, clock, poller } = await polling();
    const refused = confirming(poller);
    poller.on('ORDER_CANCELLATION_REQUEST', () => {});
    const { orderId } = mock.createOrder();
    mock.faults.next('orderStatus', 'lost');
    void poller.start();
    await clock.advance(500);
    // The last event of the order is the customer's now.
    mock.emit('ORDER_CANCELLATION_REQUEST', { orderId });
    await clock.advance('3m');
    expect(refused).toEqual([]);
    const [command] = (await inbox.history({ orderId })).commands;
    expect(command).toMatchObject({ status: 'sent', outcome: undefined });
  });

  it('does not report a denial as refused whose response was lost, although the order goes on', async () => {
    const { inbox, mock, clock, poller } = await polling();
    const refused = refusedBy(poller);
    poller.on('event', ({ eventType, orderId }, { commit }) =>
      commit((_tx, outbox) => {
        if (eventType === 'ORDER_CANCELLATION_REQUEST')
          outbox.denyCancellation(orderId, { reason: 'ready', code: 'DISH_ALREADY_DONE' });
      }),
    );
    const { orderId } = mock.createOrder();
    mock.emit('ORDER_CANCELLATION_REQUEST', { orderId });
    mock.faults.next('orderStatus', 'lost');
    void poller.start();
    await clock.advance(500);
    mock.emit('CONFIRMED', { orderId });
    await clock.advance('3m');
    expect(refused).toEqual([]);
    expect((await inbox.history({ orderId })).commands).toMatchObject([{ status: 'sent' }]);
  });

  it('sends the answer to a cancellation request until the hub has it', async () => {
    const { mock, clock, poller } = await polling();
    const refused = refusedBy(poller);
    poller.on('CREATED', () => {});
    poller.on('ORDER_CANCELLATION_REQUEST', ({ orderId }, { commit }) =>
      commit((_tx, outbox) => outbox.acceptCancellation(orderId)),
    );
    const { orderId } = mock.createOrder();
    mock.emit('ORDER_CANCELLATION_REQUEST', { orderId });
    mock.faults.next('orderStatus', 'reset', 4);
    void poller.start();
    await clock.advance('2m');
    expect(refused).toEqual([]);
    expect(mock.emitted().at(-1)).toMatchObject({ orderId, eventType: 'CANCELLED' });
  });

  it('runs no event of an order while an earlier one waits for its retry, in whatever order they came', async () => {
    const { mock, clock, poller } = await polling();
    const types: string[] = [];
    poller
      .on('error', () => {})
      .on('event', ({ eventType }) => {
        types.push(eventType);
        if (eventType === 'PREPARING') throw new Error('not yet');
      });
    const { orderId } = mock.createOrder();
    for (const [eventType, afterMs] of [
      ['READY_FOR_PICKUP', 2000],
      ['PREPARING', 1000],
    ] as const) {
      mock.emit(eventType, { orderId, createdAt: new Date(clock.now() + afterMs).toISOString() });
    }
    void poller.start();
    await clock.advance('4m');
    expect(new Set(types)).toEqual(new Set(['CREATED', 'PREPARING']));
  });

  it('stops without waiting for another attempt of a command', async () => {
    const { inbox, mock, clock, poller } = await polling();
    confirming(poller);
    await poller.start();
    mock.createOrder();
    mock.faults.next('orderStatus', 'lost');
    mock.faults.next('order', { status: 503 }, 10);
    // Sent once; whether it was carried out cannot be read.
    await clock.advance('32s');
    expect(await afterAdvance(clock, 0, poller.stop())).toMatchObject({ timedOut: false });
    expect(await inbox.stats()).toMatchObject({ commands: 1 });
    void poller.start();
    await clock.advance('5m');
    expect(mock.requests.filter(({ endpoint }) => endpoint === 'orderStatus')).toHaveLength(1);
    expect(await inbox.stats()).toMatchObject({ commands: 0 });
  });

  it('leaves an event waiting whose loop was left', async () => {
    const { inbox, mock, clock, poller } = await polling();
    mock.createOrder();
    const iterate = async () => {
      for await (const { event } of poller.events()) {
        expect(event.eventType).toBe('CREATED');
        break;
      }
    };
    await afterAdvance(clock, '10s', iterate());
    expect(await inbox.stats()).toMatchObject({ waiting: 1, failed: 0, running: 0 });
    expect(mock.pending()).toEqual([]);
  });

  it.each([
    ['in the inbox', true],
    ['at the hub, without one', false],
  ])(
    'calls no further listeners in its runOnce after the signal has aborted: the others wait %s',
    async (_where, isStored) => {
      const { mock, hub, inbox, clock } = await polling();
      const poller = hub.poller({ ...(isStored && { inbox }), concurrency: 2 });
      const controller = new AbortController();
      const work = gate();
      for (let orders = 0; orders < 20; orders += 1) mock.createOrder();
      const attempts: number[] = [];
      poller.on('CREATED', (_event, { attempt }) => {
        attempts.push(attempt);
        return work.promise;
      });
      const made = poller.runOnce({ signal: controller.signal });
      await clock.advance('1s');
      controller.abort(new Error('enough'));
      work.open();
      await clock.advance('2s');
      await made;
      expect(attempts).toHaveLength(2);
      expect(await inbox.stats()).toMatchObject({ waiting: isStored ? 18 : 0, failed: 0, running: 0 });
      expect(mock.pending()).toHaveLength(isStored ? 0 : 18);
      await poller.runOnce();
      expect(attempts).toEqual(Array(20).fill(1));
    },
  );

  it('answers a push with 200 only if it is handled, also during a runOnce whose signal has aborted', async () => {
    const { mock, hub, inbox, clock } = await polling();
    const poller = hub.poller({ inbox }).on('error', () => {});
    const controller = new AbortController();
    const seen: string[] = [];
    const work = gate();
    poller.on('CREATED', ({ eventId }) => {
      seen.push(eventId);
      return work.promise;
    });
    mock.createOrder();
    const made = poller.runOnce({ signal: controller.signal });
    await clock.advance('1s');
    controller.abort(new Error('enough'));
    const pushed = mock.emit('CREATED');
    const answer = poller.receive(pushOf(pushed));
    await clock.advance('1s');
    work.open();
    await clock.advance('2s');
    await made;
    expect((await answer).status).toBe(503);
    expect(seen).not.toContain(pushed.eventId);
    expect((await poller.receive(pushOf(pushed))).status).toBe(200);
    expect(seen).toContain(pushed.eventId);
  });

  it.each(['fails', 'is aborted'])(
    'ends its runOnce after the listeners that it has called, also if the poll %s',
    async (how) => {
      const { mock, hub, inbox, clock } = await polling({ latencyMs: 2000 });
      const poller = hub.poller({ inbox, retryDelayMs: { min: 0, max: 0 } }).on('error', () => {});
      let running = 0;
      let isFirst = true;
      poller.on('CREATED', async () => {
        if (isFirst) throw new Error('not yet');
        running += 1;
        await clock.sleep(10_000);
        running -= 1;
      });
      mock.createOrder();
      await afterAdvance(clock, '10s', poller.runOnce());
      await clock.advance('5m');
      isFirst = false;
      if (how === 'fails') mock.faults.next('polling', 500);
      const controller = new AbortController();
      const atEnd = poller.runOnce({ signal: controller.signal }).then(
        () => running,
        () => running,
      );
      await clock.advance('500ms');
      expect(running).toBe(1);
      if (how === 'is aborted') controller.abort(new Error('enough'));
      expect(await afterAdvance(clock, '1m', atEnd)).toBe(0);
    },
  );

  it('in its runOnce does not report what another poller of the client has failed', async () => {
    const { clock, mock, hub, poller: stored } = await polling();
    stored.on('error', () => {}).on('CREATED', () => Promise.reject(new Error('fails')));
    const plain = hub.poller({ listenerTimeoutMs: 5000 }).on('error', () => {});
    plain.on('CREATED', () => clock.sleep(100_000));
    mock.emit('CREATED', { eventId: 'of-stored' });
    await afterAdvance(clock, '5s', stored.runOnce());
    mock.emit('CREATED', { eventId: 'of-plain' });
    await afterAdvance(clock, '240s', plain.runOnce());
    const third = stored.runOnce();
    await clock.advance('40s');
    expect(await third).toMatchObject({ failures: [{ eventId: 'of-stored' }] });
  });

  it('in its runOnce reports a listener that fails after its time limit once', async () => {
    const { clock, hub, inbox, mock } = await polling();
    const poller = hub.poller({ inbox, concurrency: 1, listenerTimeoutMs: 5000 }).on('error', () => {});
    poller.on('CREATED', async (_event, { signal }) => clock.sleep(10_000, signal));
    const events = [mock.createOrder().event, mock.createOrder().event];
    const { failures } = await afterAdvance(clock, '1m', poller.runOnce());
    expect(failures?.map(({ eventId }) => eventId)).toEqual(events.map(({ eventId }) => eventId));
  });

  it('masks a secret in the id of an event that runOnce reports as failed', async () => {
    const { mock, poller } = await polling();
    poller.on('error', () => {}).on('REFUNDED' as string, () => Promise.reject(new Error('no printer')));
    const { clientSecret } = mock.credentials;
    mock.emit('REFUNDED', { eventId: `event of ${clientSecret}` });
    expect(await poller.runOnce()).toMatchObject({
      failures: [{ eventId: expect.not.stringContaining(clientSecret) }],
    });
  });

  it('answers a push with 200 when it is stored', async () => {
    const { tickets, mock, clock, poller } = await polling();
    const work = gate();
    poller.on('CREATED', async ({ orderId }, { commit }) => {
      await work.promise;
      await commit((tx) => void ticketOf(tx, orderId));
    });
    await poller.start();
    const { event, orderId } = mock.createOrder();
    const response = await poller.receive(pushOf(event));
    expect(response.status).toBe(200);
    expect(tickets()).toEqual([]);
    await pause(10);
    work.open();
    await clock.advance('1m');
    expect(tickets()).toEqual([orderId]);
    expect(mock.pending()).toEqual([]);
  });

  it('handles both of two events with one id', async () => {
    const { clock, poller } = await polling();
    const event = { eventId: 'e', orderId: 'o' };
    const handled: string[] = [];
    poller.on('event', ({ eventType }) => void handled.push(eventType));
    await poller.start();
    for (const eventType of ['CREATED', 'CONFIRMED']) {
      const createdAt = new Date(clock.now()).toISOString();
      expect((await poller.receive(pushOf({ ...event, eventType, createdAt }))).status).toBe(200);
    }
    await clock.advance('10s');
    expect(handled.toSorted()).toEqual(['CONFIRMED', 'CREATED']);
  });

  it('is written once, committed once and confirmed once, whatever fails', async () => {
    const night = fc.record({
      orders: fc.integer({ min: 1, max: 6 }),
      hubSeed: fc.nat(1000),
      rate: fc.constantFrom(0, 0.2, 0.5),
      failures: fc.nat(2),
      restartsAfterS: fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(night, async ({ orders, hubSeed, rate, failures, restartsAfterS }) => {
        const { inbox, tickets } = await countedInbox();
        const state = memoryState();
        const clock = new ManualClock();
        const { mock, hub } = stage({ clock, unansweredAfterMs: Number.POSITIVE_INFINITY }, { clock, state });
        const left = new Map<string, number>();
        const poller = hub.poller({ inbox, retryDelayMs: { min: 5000, max: 5000 } }).on('error', () => {});
        poller.on('CREATED', async ({ orderId }, { commit }) => {
          await clock.sleep(700);
          await commit((tx, outbox) => {
            ticketOf(tx, orderId);
            outbox.confirm(orderId);
            const more = left.get(orderId) ?? failures;
            left.set(orderId, more - 1);
            if (more > 0) throw new Error('not yet');
          });
        });
        mock.faults.random({
          seed: hubSeed,
          rate,
          types: ['reset', 'lost', 'status', 'duplicate', 'reorder'],
        });
        const ids = Array.from({ length: orders }, () => mock.createOrder().orderId);
        void poller.start().catch(() => {});
        for (const seconds of restartsAfterS) {
          await clock.advance(seconds * 1000);
          const stopping = poller.stop();
          // A command that was sent is waited for, also if the hub wants it after a new token only.
          await clock.advance('30s');
          await stopping;
          void poller.start().catch(() => {});
        }
        await clock.advance('10m');
        mock.faults.random({ seed: hubSeed, rate: 0 });
        await clock.advance('20m');
        expect(tickets().toSorted()).toEqual(ids.toSorted());
        const confirmed = mock.emitted().filter(({ eventType }) => eventType === 'CONFIRMED');
        expect(confirmed.map(({ orderId }) => orderId).toSorted()).toEqual(ids.toSorted());
        const none = { waiting: 0, running: 0, failed: 0, dead: 0, commands: 0 };
        expect(await inbox.stats()).toMatchObject(none);
        await afterAdvance(clock, '1m', hub.close());
      }),
      { numRuns: runs(40, 8), seed: 20_261_123 },
    );
  });

  it('claims nothing for a store because another one of the same inbox has something to do', async () => {
    const { inbox, statements } = await countedInbox();
    const all = stores(2);
    const clock = new ManualClock();
    const mock = hubWith(all, { clock });
    const [one, other] = all.map(({ clientId, clientSecret }) => {
      const { hub } = clientOf(mock, { clock, clientId, clientSecret });
      const poller = hub.poller({ inbox, retryDelayMs: { min: 1000, max: 1000 } });
      return poller.on('error', () => {}).on('CREATED', () => Promise.reject(new Error('no printer')));
    }) as [EventPoller, EventPoller];
    void one.start();
    await clock.advance('1m');
    mock.createOrder({ clientId: all[1]?.clientId as string });
    // What has failed is due a second later, and nobody polls that store.
    await afterAdvance(clock, '1s', other.runOnce());
    await clock.advance('5s');
    expect(await inbox.stats()).toMatchObject({ failed: 1 });
    statements.length = 0;
    await clock.advance('1m');
    expect(statements.filter((sql) => sql.startsWith('update'))).toEqual([]);
  });
});

describe('a fleet with an inbox', () => {
  it('does not run again what has killed a process in its last attempt, also before its first poll', {
    tags: 'slow',
  }, async () => {
    const { inbox } = await countedInbox();
    const all = stores(20);
    const poller = { inbox, maxAttempts: 1, concurrency: 1 };
    const { clock, mock, fleet: first } = fleetStage(all, { poller });
    const createOrders = () => all.map(({ clientId }) => mock.createOrder({ clientId: clientId as string }));
    // Each listener kills the process, as the next fleet sees it.
    first.on('CREATED', () => new Promise(() => {}));
    const killing = createOrders();
    void first.start();
    await clock.advance('1m');
    expect(await inbox.stats()).toMatchObject({ running: 20, waiting: 0 });
    const handled: string[] = [];
    const dead: string[] = [];
    const second = fleetOf(mock, { clock, stores: all, poller }).fleet.on('error', () => {});
    second.on('CREATED', ({ orderId }) => void handled.push(orderId));
    second.once('deadLetter', ({ event }) => {
      expect(Object.isFrozen(event) && Object.isFrozen(event.metadata)).toBe(true);
      dead.push(event.orderId);
    });
    void second.start();
    await clock.advance('1s');
    const pushed = createOrders();
    for (const [index, { event }] of pushed.entries()) {
      const { storeId, clientSecret } = all[index] as { storeId: string; clientSecret: string };
      expect((await second.receive(storeId, pushOf(event, { secret: clientSecret }))).status).toBe(200);
    }
    await clock.advance('2m');
    expect(handled.toSorted()).toEqual(pushed.map(({ orderId }) => orderId).toSorted());
    // A `once` listener is called once, also for dead letters.
    expect(killing.map(({ orderId }) => orderId)).toContain(dead[0]);
    expect(dead).toHaveLength(1);
    await afterAdvance(clock, '1m', Promise.all([first.stop({ timeoutMs: 0 }), second.stop()]));
  });

  it('handles the events of each store from one table', async () => {
    const { inbox, tickets, statements } = await countedInbox();
    const all = stores(20);
    const { clock, mock, fleet } = fleetStage(all, { poller: { inbox } });
    fleet.on('CREATED', async ({ orderId }, { storeId, commit }) => {
      await commit((tx, outbox) => {
        ticketOf(tx, `${storeId} ${orderId}`);
        outbox.confirm(orderId);
      });
    });
    await afterAdvance(clock, '1m', fleet.start());
    const expected = all.map(
      ({ storeId, clientId }) => `${storeId} ${mock.createOrder({ clientId: clientId as string }).orderId}`,
    );
    await clock.advance('1m');
    expect(tickets().toSorted()).toEqual(expected.toSorted());
    expect(mock.requests.filter(({ endpoint }) => endpoint === 'orderStatus')).toHaveLength(20);
    expect(await inbox.stats({ storeId: 'store-3' })).toMatchObject({ waiting: 0, commands: 0 });
    statements.length = 0;
    await clock.advance('1m');
    // One for all stores every two seconds, and none for each idle poll.
    expect(statements.length).toBeLessThanOrEqual(31);
  });
});
