import { type HostProfile, nextCommands, type OrderProgress, orderProgress } from 'opendelivery-client';
import * as hosts from 'opendelivery-client/hosts';
import { createMockHub, type HubEvent } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { CANCELLATION_CODES, DENIAL_CODES } from '../../src/orders/commands.js';
import { pushOf } from '../events/push/support.js';
import { afterAdvance, requestsTo, stage } from '../support.js';

const { food99, ifoodLike, keeta, pedidos10 } = hosts;
const ALL = Object.values(hosts).map((host) => [host.name, host] as const);

/** A client and a mock hub that both have the profile; the application is allowed. */
const at = (profile: HostProfile) => stage({ profile, allowed: true }, { profile });

/** A push of the event that nobody has signed. */
function unsigned(event: HubEvent): Request {
  const request = pushOf(event);
  request.headers.delete('x-app-signature');
  return request;
}

/** The fields of a profile that say something; those for people do not. */
function fieldsOf(profile: HostProfile): string[] {
  const groups = new Set(['token', 'limits', 'commands', 'webhook']);
  return Object.entries(profile)
    .filter(([key]) => key !== 'name')
    .flatMap(([key, value]) =>
      groups.has(key) ? Object.keys(value as object).map((each) => `${key}.${each}`) : [key],
    );
}

describe.each(ALL)('the profile of %s', (_name, { name, profile, deviations }) => {
  it('has a source and a date for each of its fields, and says that it was not tested', () => {
    expect(name).toMatch(/^[a-z0-9]+$/);
    expect(deviations.map(({ field }) => field).sort()).toEqual(fieldsOf(profile).sort());
    for (const { field, value, source, date } of deviations) {
      const found = field.split('.').reduce<unknown>((each, key) => Reflect.get(Object(each), key), profile);
      expect([field, value]).toEqual([field, found]);
      expect(value).toBeDefined();
      expect(source).toMatch(/^.{8,}; from public documents, not tested at the host$/);
      expect(date).toMatch(/^\d{4}-\d\d-\d\d$/);
    }
  });

  it('is valid, and survives JSON', () => {
    expect(() => createMockHub({ profile })).not.toThrow();
    expect(JSON.parse(JSON.stringify(profile))).toEqual(profile);
  });

  it('gives a whole evening without a violation: token, poll, orders of each kind, commands, acknowledgment', async () => {
    const { clock, mock, hub } = at(profile);
    const poller = hub.poller();
    const errors: unknown[] = [];
    poller.on('error', (error) => errors.push(error));
    poller.on('CREATED', async ({ orderId }) => {
      if (orderId === 'unwanted') {
        await hub.orders.requestCancellation(orderId, { reason: 'no', code: 'RISK_AREA', mode: 'AUTO' });
        return;
      }
      const { order } = await hub.orders.get(orderId);
      await hub.orders.confirm(orderId);
      await hub.orders.readyForPickup(orderId);
      if (order.type === 'TAKEOUT') await hub.orders.pickedUp(orderId);
      else if (order.delivery?.deliveredBy === 'MERCHANT') {
        await hub.orders.dispatch(orderId);
        await hub.orders.delivered(orderId);
      }
    });
    poller.on('ORDER_CANCELLATION_REQUEST', async ({ orderId }) => {
      await hub.orders.denyCancellation(orderId, { reason: 'ready', code: 'DISH_ALREADY_DONE' });
    });
    await poller.start();
    mock.createOrder({ orderId: 'own delivery' });
    mock.createOrder({ orderId: 'marketplace', deliveredBy: 'MARKETPLACE' });
    mock.createOrder({ orderId: 'takeout', type: 'TAKEOUT', include: ['options', 'change'] });
    mock.createOrder({ orderId: 'unwanted' });
    await clock.advance('5m');
    mock.emit('ORDER_CANCELLATION_REQUEST', { orderId: 'marketplace' });
    await clock.advance('5m');
    expect((await hub.merchant.get()).merchant.id).toBeTruthy();
    const report = await poller.stop();
    expect([errors, mock.violations(), mock.pending(), report.unacknowledged]).toEqual([[], [], [], []]);
    expect(Object.fromEntries(mock.emitted().map(({ orderId, eventType }) => [orderId, eventType]))).toEqual({
      'own delivery': 'DELIVERED',
      marketplace: 'CANCELLED_DENIED',
      takeout: 'PICKED_UP',
      unwanted: 'CANCELLED',
    });
    expect(requestsTo(mock, 'token')).toHaveLength(1);
  });
});

describe('99Food', () => {
  const { profile } = food99;

  it('answers 404 to everything until the application is allowed, and the error of every endpoint says so', async () => {
    const { mock, hub } = stage({ profile }, { profile, retry: { attempts: 1 } });
    const { orderId } = mock.createOrder();
    const said = /404: 99Food answers this until the application is in its allow list/;
    await expect(hub.auth.getToken()).rejects.toThrow(said);
    await expect(hub.merchant.get()).rejects.toThrow(said);
    mock.allow();
    const { events } = await hub.events.poll();
    expect(events.map((event) => event.orderId)).toEqual([orderId]);
    mock.reset();
    expect((await hub.merchant.get({ fresh: true })).merchant.id).toBeTruthy();
  });

  it.each([10, 26, 40])(
    'has token requests left if it is allowed after %i minutes: the poller polls within a quarter of an hour',
    async (minutes) => {
      const { clock, mock, hub } = stage({ profile }, { profile });
      const poller = hub.poller().on('event', () => {});
      void poller.on('error', () => {}).start();
      await clock.advance(minutes * 60_000);
      expect(poller.health().status).not.toBe('running');
      mock.allow();
      await clock.advance('15m');
      expect(poller.health().status).toBe('running');
      await afterAdvance(clock, '1m', poller.stop());
      expect(mock.violations()).toEqual([]);
    },
  );

  it('answers 404 to a poll and a command of an application that is not allowed, although the token is good', async () => {
    const allowed = at(profile);
    const token = await allowed.hub.auth.getToken();
    expect(token.value).toBeTruthy();
    const mock = createMockHub({ profile });
    const authorization = `Bearer ${token.value}`;
    for (const [path, method] of [
      ['events:polling', 'GET'],
      ['events/acknowledgment', 'POST'],
      ['orders/1', 'GET'],
      ['orders/1/confirm', 'POST'],
      ['merchant', 'GET'],
    ]) {
      const url = `${mock.baseUrl}/opendelivery/v1/${path}`;
      const response = await mock.fetch(url, { method: method as string, headers: { authorization } });
      expect([path, response.status]).toEqual([path, 404]);
    }
  });

  it('has no explanation for other statuses, and that of a clientId only for the token', async () => {
    const { mock, hub } = stage({ profile, allowed: true }, { profile, retry: { attempts: 1 } });
    mock.faults.next('merchant', 401);
    mock.faults.next('merchant', 500);
    for (const status of [401, 500]) {
      const error = (await hub.merchant.get().catch((reason: unknown) => reason)) as Error;
      expect(error).toMatchObject({ status });
      expect(error.message).not.toMatch(/99Food|clientId has the form/);
    }
  });

  it('accepts eleven cancellation codes and two reasons of a denial, those of the standard, and refuses others', async () => {
    expect(profile.cancellationCodes).toEqual(CANCELLATION_CODES);
    expect(profile.denialCodes).toEqual(DENIAL_CODES);
    const { mock, hub } = at(profile);
    for (const code of CANCELLATION_CODES) {
      const { orderId } = mock.createOrder();
      await hub.orders.requestCancellation(orderId, { reason: 'a', code, mode: 'MANUAL' });
    }
    const { orderId } = mock.createOrder();
    const own = { reason: 'a', code: 'NO_MOTORBIKE', mode: 'MANUAL' };
    await expect(hub.orders.requestCancellation(orderId, own)).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('code must be one of SYSTEMIC_ISSUES, '),
    });
    mock.emit('ORDER_CANCELLATION_REQUEST', { orderId });
    await expect(hub.orders.denyCancellation(orderId, { reason: 'a', code: 'TOO_LATE' })).rejects.toThrow(
      'code must be one of DISH_ALREADY_DONE, OUT_FOR_DELIVERY',
    );
    await hub.orders.denyCancellation(orderId, { reason: 'a', code: 'OUT_FOR_DELIVERY' });
    // A host without a list takes any code.
    const other = at({});
    const another = other.mock.createOrder().orderId;
    expect(await other.hub.orders.requestCancellation(another, own)).toEqual({ alreadyThere: false });
  });

  it('takes the token request as a form, and the error of a refused one says how a clientId is composed', async () => {
    const { mock, hub } = stage(
      { profile, allowed: true },
      { profile: { ...profile, token: { ...profile.token, body: 'json' } } },
    );
    await expect(hub.auth.getToken()).rejects.toThrow(
      '400: clientId has the form {app_id}_{app_shop_id}, one for each shop',
    );
    expect(mock.violations()).toMatchObject([{ rule: 'content-type', endpoint: 'token' }]);
  });

  it.each([
    [{ deliveredBy: 'MERCHANT' }, ['confirm', 'readyForPickup', 'dispatch', 'delivered'], ['pickedUp']],
    [{ deliveredBy: 'MARKETPLACE' }, ['confirm', 'readyForPickup'], ['dispatch', 'delivered', 'pickedUp']],
    [{ type: 'TAKEOUT' }, ['confirm', 'readyForPickup', 'pickedUp'], ['delivered', 'dispatch']],
  ] as const)(
    'demands its commands of an order with %o, and refuses the others with 422',
    async (kind, demanded, refused) => {
      const { mock, hub } = at(profile);
      const { orderId } = mock.createOrder(kind);
      const { order } = await hub.orders.get(orderId);
      let progress: OrderProgress | undefined;
      let seen = 0;
      const sent: string[] = [];
      for (;;) {
        for (const event of mock.emitted().slice(seen)) progress = orderProgress(progress, event);
        seen = mock.emitted().length;
        const possible = nextCommands(progress as OrderProgress, order, { profile }).filter(
          (command) => command !== 'requestCancellation',
        );
        // `dispatch` is possible from the beginning; this store is thorough.
        const command = possible.find((each) => each !== 'dispatch') ?? possible[0];
        if (command === undefined) break;
        for (const each of refused) {
          await expect(hub.orders.updateStatus(orderId, each)).rejects.toThrow(
            '422: 99Food also answers this to a command',
          );
        }
        await hub.orders.updateStatus(orderId, command);
        sent.push(command);
      }
      expect(sent).toEqual(demanded);
      expect(mock.violations().map(({ rule }) => rule)).toContain('command-not-for-this-order');
    },
  );

  it('wants 204 for a push, and 403 for a wrong signature', async () => {
    const { clock, mock, hub } = at(profile);
    const poller = hub.poller();
    poller.on('CREATED', () => {});
    await poller.start();
    const pushing = mock.push((request) => poller.receive(request));
    const { event } = mock.createOrder();
    await clock.advance('1s');
    expect(pushing.deliveries).toMatchObject([{ status: 204, attempt: 1 }]);
    expect(mock.pending()).toEqual([]);
    expect((await poller.receive(pushOf(event, { secret: 'another' }))).status).toBe(403);
    expect((await poller.receive(unsigned(event))).status).toBe(403);
    pushing.stop();
    // 200 is not enough for this host: it sends the event again.
    const tooFriendly = mock.push(async () => new Response(null, { status: 200 }), { attempts: 2 });
    mock.createOrder();
    await clock.advance('5s');
    expect(tooFriendly.deliveries).toMatchObject([{ attempt: 1 }, { attempt: 2 }]);
  });
});

describe('Keeta', () => {
  const { profile } = keeta;

  it('forgets an event after 4 h 10 min, and not before', async () => {
    const lifetimeMs = 4 * 3_600_000 + 10 * 60_000;
    const { clock, mock, hub } = at({ ...profile, confirmWithinMs: undefined });
    const { event } = mock.createOrder();
    await clock.advance(lifetimeMs - 1000);
    expect((await hub.events.poll()).events).toMatchObject([{ eventId: event.eventId }]);
    await clock.advance('30s');
    mock.createOrder({ orderId: 'later' });
    expect((await hub.events.poll()).events).toMatchObject([{ orderId: 'later' }]);
    mock.redeliver(event.eventId);
    await clock.advance('31s');
    expect((await hub.events.poll()).events).toHaveLength(2);
  });

  it('cancels an order that was not confirmed within 5 min', async () => {
    const { clock, mock, hub } = at(profile);
    const { orderId } = mock.createOrder();
    const confirmed = mock.createOrder().orderId;
    await hub.orders.confirm(confirmed);
    await clock.advance('299s');
    expect((await hub.orders.get(orderId)).order.lastEvent).toBe('CREATED');
    await clock.advance('1s');
    const { events } = await hub.events.poll();
    expect(events.map((event) => [event.orderId, event.eventType])).toEqual([
      [orderId, 'CREATED'],
      [confirmed, 'CREATED'],
      [confirmed, 'CONFIRMED'],
      [orderId, 'CANCELLED'],
    ]);
    expect(mock.violations()).toMatchObject([
      { rule: 'unanswered-order', message: expect.stringContaining(`${orderId} got neither`) },
    ]);
    await expect(hub.orders.confirm(orderId)).rejects.toThrow(
      'Keeta also answers this to a repeated confirm',
    );
  });

  it('pushes the cancellation at once, also to an application that sends no request', async () => {
    const { clock, mock } = at(profile);
    const pushed: string[] = [];
    mock.push(async (request) => {
      const { eventType, createdAt } = (await request.json()) as HubEvent;
      pushed.push(`${eventType} ${createdAt}`);
      return new Response(null, { status: profile.webhook?.accepted ?? 204 });
    });
    const { event } = mock.createOrder();
    const dueAt = new Date(Date.parse(event.createdAt) + 300_000).toISOString();
    await clock.advance('9m');
    expect(pushed).toEqual([`CREATED ${event.createdAt}`, `CANCELLED ${dueAt}`]);
    expect(mock.emitted()).toHaveLength(2);
  });

  it('shows the cancellation to who asks for the events', async () => {
    const { clock, mock } = at(profile);
    mock.createOrder();
    await clock.advance('9m');
    expect(mock.pending().map(({ eventType }) => eventType)).toEqual(['CREATED', 'CANCELLED']);
  });

  it('has events of its own: one without a listener causes a warning, as those of the spec do', async () => {
    const { mock, hub, log } = at({ ...profile, sign: () => ({ 'x-signature': 'right' }) });
    const poller = hub.poller();
    const refunds: string[] = [];
    poller.on('REFUNDED' as string, ({ orderId }) => void refunds.push(orderId));
    const { orderId } = mock.createOrder();
    await hub.orders.confirm(orderId);
    for (const type of ['REFUNDED', 'USER_REFUND_REQUEST', 'A_TYPE_OF_NOBODY']) mock.emit(type, { orderId });
    await poller.runOnce();
    expect(refunds).toEqual([orderId]);
    const warned = log.filter((line) => /has no listener/.test(line)).map((line) => line.split(' ')[1]);
    expect(warned).toEqual(expect.arrayContaining(['USER_REFUND_REQUEST', 'CREATED']));
    expect(warned).not.toContain('A_TYPE_OF_NOBODY');
  });

  it('requires signatures: without a signer the client warns once, and with one the mock hub checks it', async () => {
    const { hub, log } = at(profile);
    await hub.merchant.get();
    expect(log).toEqual([
      'opendelivery-client: Keeta requires a signature on every request; add a function `sign` to the profile',
    ]);
    const sign = () => ({ 'x-signature': 'right' });
    const wrong = stage(
      { profile: { ...profile, sign } },
      { profile: { ...profile, sign: () => ({ 'x-signature': 'wrong' }) } },
    );
    await expect(wrong.hub.merchant.get()).rejects.toMatchObject({ status: 401 });
    expect(wrong.mock.violations()).toMatchObject([{ rule: 'signature' }]);
    expect(wrong.log).toEqual([]);
  });
});

describe('Pedidos10', () => {
  const { profile } = pedidos10;

  it('writes one piece as UNIT, in the order and in the merchant document', async () => {
    const { mock, hub } = at(profile);
    const { order } = mock.createOrder({ include: ['options'] });
    expect(JSON.stringify(order)).toContain('"unit":"UNIT"');
    expect(JSON.stringify([order, mock.merchant()])).not.toContain('"unit":"UN"');
    expect((await hub.merchant.get()).merchant.items?.length).toBeGreaterThan(0);
  });

  it('wants 401 for a push without a signature', async () => {
    const { mock, hub } = at(profile);
    const poller = hub.poller();
    poller.on('CREATED', () => {});
    await poller.start();
    const { event } = mock.createOrder();
    expect((await poller.receive(unsigned(event))).status).toBe(401);
    expect((await poller.receive(pushOf(event, { secret: 'another' }))).status).toBe(403);
    await poller.stop();
  });
});

describe("iFood's rules", () => {
  const { profile } = ifoodLike;

  it('cancel an order after 8 min, and allow 20 tokens a minute', async () => {
    const { clock, mock, hub } = at(profile);
    const { orderId } = mock.createOrder();
    await clock.advance('479s');
    expect((await hub.events.poll()).events).toHaveLength(1);
    await clock.advance('30s');
    expect((await hub.orders.get(orderId)).order.lastEvent).toBe('CANCELLED');
    expect(hub.rateLimits()).toMatchObject({ token: { limit: 20 }, orderStatus: { limit: 300 } });
  });

  it('want the shops of every poll: a poller without them warns once', async () => {
    const { clock, mock, hub, log } = at(profile);
    const poller = hub.poller();
    poller.on('event', () => {});
    await poller.start();
    await clock.advance('2m');
    await poller.stop();
    expect(log).toEqual([expect.stringContaining('set the option `merchants` of the poller or store')]);
    const named = at(profile);
    const ofShop = named.hub.poller({ merchants: ['shop-1'] });
    ofShop.on('event', () => {});
    await ofShop.runOnce();
    expect(named.log).toEqual([]);
    expect(requestsTo(named.mock, 'polling')[0]?.headers['x-polling-merchants']).toBe('shop-1');
    expect(requestsTo(mock, 'polling').length).toBeGreaterThan(2);
  });

  it('explain a 429 of a poll, and not that of another endpoint', async () => {
    const { mock, hub } = stage({ profile }, { profile, retry: { attempts: 1 } });
    mock.faults.next('polling', 429);
    mock.faults.next('merchant', 429);
    await expect(hub.events.poll()).rejects.toThrow('429: iFood limits polls');
    await expect(hub.merchant.get()).rejects.not.toThrow('iFood limits polls');
  });
});
