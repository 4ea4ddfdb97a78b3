import type { PGlite } from '@electric-sql/pglite';
import type { Cluster, Redis } from 'ioredis';
import {
  type AnyHubError,
  type EventContext,
  type EventPoller,
  type EventType,
  HubClient,
  type HubClientOptions,
  HubFleet,
  type InboxContext,
  type Issue,
  type Item,
  isHubError,
  type KnownEventType,
  type Merchant,
  type Order,
  type OrderEvent,
  type OrderStatusCommand,
  type StopReport,
} from 'opendelivery-client';
import { fleetWorker } from 'opendelivery-client/bullmq';
import { redisState } from 'opendelivery-client/redis';
import {
  type Inbox,
  type PostgresState,
  postgresInbox,
  postgresState,
  type State,
} from 'opendelivery-client/sql';
import {
  createMockHub,
  type Fault,
  type Json,
  type ManualClock,
  type MockHub,
} from 'opendelivery-client/testing';
import type { Client, Pool, PoolClient } from 'pg';
import { describe, expect, expectTypeOf, it } from 'vitest';
import * as z from 'zod';
import { checksOnlyTypes } from './assertions.js';

/** The function is checked by the compiler (`tsc --noEmit`) and never called. */
function compiles(_uses: (hub: HubClient, poller: EventPoller, mock: MockHub) => unknown): void {
  expect(_uses).toBeTypeOf('function');
}

describe('the stores of a fleet', () => {
  it('have their mistakes at their entry, in one line', () => {
    compiles(
      () =>
        new HubFleet({
          baseUrl: 'https://hub.example',
          stores: [
            { storeId: 'a', clientId: '1', clientSecret: 's' },
            // @ts-expect-error clientSecret is missing
            { storeId: 'b', clientId: '2' },
            // @ts-expect-error a client id is a string
            { storeId: 'c', clientId: 3, clientSecret: 's' },
          ],
        }),
    );
  });
});

it('a worker takes a fleet whatever its inbox commits to', () => {
  // As from `process.env` and other options, with `exactOptionalPropertyTypes`.
  const absent = undefined as string | undefined;
  const none = undefined as number | undefined;
  compiles((hub, poller, mock) => async (pool: Pool, redis: Redis, fleet: HubFleet) => {
    new HubClient({
      baseUrl: 'x',
      basePath: absent,
      retry: { attempts: none },
      rateLimit: { maxWaitMs: none },
    });
    for (const each of [hub, poller, fleet]) await each.close({ timeoutMs: none });
    await hub.merchant.get({ fresh: undefined });
    await hub.orders.confirm('1', { reason: absent, createdAt: absent, preparationTime: none });
    hub.poller({ retryDelayMs: { min: none, max: none } });
    createMockHub({ baseUrl: absent, stores: undefined, emptyPoll: undefined, onRequest: undefined });
    mock.createOrder({ orderId: absent, include: undefined });
    mock.emit('CREATED', { orderId: absent, metadata: undefined });
    mock.faults.random({ seed: 1, rate: 0.1, types: undefined });
    await hub.events.poll({ merchants: undefined });
    redisState(redis, { prefix: absent });
    postgresState(pool, { schema: absent });
    await postgresInbox(pool, { schema: absent }).stats({ storeId: absent });
    mock.reset({ clientId: absent });
  });
  compiles(() => (pool: Pool) => {
    const inbox = postgresInbox(pool);
    expectTypeOf(inbox).toEqualTypeOf<Inbox<PoolClient>>();
    return ({ commit }: InboxContext<PoolClient>) =>
      commit((_tx, outbox) => {
        outbox.confirm('o-1', { preparationTime: 20 });
        // @ts-expect-error misspelled
        outbox.confirm('o-1', { preparationTme: 20 });
        // @ts-expect-error the standard requires a reason and a code
        outbox.denyCancellation('o-1', {});
      });
  });
  compiles(() => (fleet: HubFleet<Pool>, connection: Redis) => fleetWorker({ fleet, connection }));
});

describe('listeners', () => {
  it('of an event type receive the event of that type', () => {
    compiles((_hub, poller) => {
      poller.on('CREATED', (event, context) => {
        expectTypeOf(event).toEqualTypeOf<OrderEvent<'CREATED'>>();
        expectTypeOf(event.eventType).toEqualTypeOf<'CREATED'>();
        expectTypeOf(event.orderId).toEqualTypeOf<string>();
        expectTypeOf(event.createdAt).toEqualTypeOf<string | undefined>();
        expectTypeOf(context).toEqualTypeOf<EventContext>();
        expectTypeOf(context.signal).toEqualTypeOf<AbortSignal>();
        // @ts-expect-error an event is read, not written
        event.orderId = 'another';
      });
      poller.once('PICKUP_AREA_ASSIGNED', ({ eventType, metadata }) => {
        expectTypeOf(eventType).toEqualTypeOf<'PICKUP_AREA_ASSIGNED'>();
        expectTypeOf(metadata?.pickupArea).toEqualTypeOf<string | undefined>();
      });
      poller.on('CANCELLED', ({ metadata }) => {
        expectTypeOf(metadata?.reason).toEqualTypeOf<string | undefined>();
      });
    });
  });

  it('of all types, and of types that the standard does not have, receive the general event', () => {
    compiles((_hub, poller) => {
      poller.on('event', (event) => {
        expectTypeOf(event.eventType).toEqualTypeOf<KnownEventType>();
        if (event.eventType === 'PICKUP_AREA_ASSIGNED') {
          expectTypeOf(event.metadata?.pickupArea).toEqualTypeOf<string | undefined>();
        }
        if (event.eventType === 'CANCELLED') {
          expectTypeOf(event.metadata?.reason).toEqualTypeOf<string | undefined>();
        }
        const orderEvent: OrderEvent = event;
        return orderEvent;
      });
      // @ts-expect-error a misspelled literal
      poller.on('CRATED', () => {});
      // @ts-expect-error a hub's own type must be typed string, so that a misspelled literal is an error
      poller.once('LOYALTY_POINTS_EARNED', () => {});
      poller.on('LOYALTY_POINTS_EARNED' as string, (event) => {
        expectTypeOf(event.metadata).toEqualTypeOf<Readonly<Record<string, unknown>> | undefined>();
      });
      const name: string = 'whatever the hub adds';
      poller.on(name, (event) => expectTypeOf(event.orderId).toEqualTypeOf<string>());
    });
    expectTypeOf<Extract<EventType, 'CREATED'>>().toEqualTypeOf<'CREATED'>();
    expectTypeOf<string>().toExtend<EventType>();
    expectTypeOf<KnownEventType>().not.toEqualTypeOf<string>();
  });

  it('of lifecycle names receive the payload of that name and no context', () => {
    compiles((hub, poller) => {
      poller.on('started', ({ at }) => expectTypeOf(at).toEqualTypeOf<number>());
      poller.on('polled', ({ received, issues }) => {
        expectTypeOf(received).toEqualTypeOf<number>();
        expectTypeOf(issues).toEqualTypeOf<readonly Issue[]>();
      });
      poller.on('acknowledged', ({ eventIds }) => expectTypeOf(eventIds).toEqualTypeOf<readonly string[]>());
      poller.on('acknowledgeFailed', ({ error }) => expectTypeOf(error).toEqualTypeOf<unknown>());
      poller.on('listenerFailed', ({ event }) => expectTypeOf(event).toEqualTypeOf<OrderEvent>());
      poller.on('backoff', ({ delayMs }) => expectTypeOf(delayMs).toEqualTypeOf<number>());
      poller.on('error', (error) => {
        expectTypeOf(error).toExtend<Error>();
        if (error.code === 'rate_limit') expectTypeOf(error.retryAfterMs).toEqualTypeOf<number>();
        if (error.code === 'lease_lost') expectTypeOf(error.retryAfterMs).toEqualTypeOf<number>();
      });
      poller.on('stopped', (report) => expectTypeOf(report).toEqualTypeOf<StopReport>());
      poller.on('deadLetter', ({ event, attempts }, context) => {
        expectTypeOf(event).toEqualTypeOf<OrderEvent>();
        expectTypeOf(attempts).toEqualTypeOf<number>();
        expectTypeOf(context).toEqualTypeOf<EventContext>();
      });
      // @ts-expect-error there is no context to watch with
      poller.on('polled', (_payload, _context: EventContext) => {});
      // @ts-expect-error a listener is a function
      poller.on('CREATED', 'handler');
      hub.on('tokenRenewed', ({ expiresAt }) => expectTypeOf(expiresAt).toEqualTypeOf<number>());
      // @ts-expect-error the traffic of a client has fixed names
      hub.on('requests', () => {});
    });
  });
});

describe('options', () => {
  it('that are invalid do not compile', () => {
    compiles((hub, poller) => [
      // @ts-expect-error a client needs to know its hub
      new HubClient({}),
      // @ts-expect-error misspelled
      new HubClient({ baseUrl: '', timeoutMS: 5 }),
      // @ts-expect-error seconds in a text
      new HubClient({ baseUrl: '', timeoutMs: '30s' }),
      // @ts-expect-error misspelt, nested
      new HubClient({ baseUrl: '', retry: { atempts: 5 } }),
      // @ts-expect-error no such mode
      new HubClient({ baseUrl: '', rateLimit: { mode: 'drop' } }),
      // @ts-expect-error no such way of reading
      new HubClient({ baseUrl: '', merchant: { validation: 'loose' } }),
      // @ts-expect-error a logger that is on by itself
      new HubClient({ baseUrl: '', logger: true }),
      // @ts-expect-error a Headers object has no own entries
      new HubClient({ baseUrl: '', headers: new Headers() }),
      // @ts-expect-error a clock must sleep
      new HubClient({ baseUrl: '', clock: { now: Date.now, monotonic: Date.now } }),
      // @ts-expect-error misspelled
      hub.poller({ interval: 30_000 }),
      // @ts-expect-error no such policy
      hub.poller({ unhandled: 'ignore' }),
      // @ts-expect-error misspelled
      poller.stop({ timeout: 5 }),
      // @ts-expect-error the lease belongs to pollers
      hub.events.poll({ lease: undefined as never }),
      // @ts-expect-error only a poller is told when its request is sent
      hub.events.poll({ onSend: () => {} }),
      // @ts-expect-error cancelling needs a reason, a code and a mode
      hub.orders.requestCancellation('o', { reason: 'r' }),
      // @ts-expect-error no such switch
      createMockHub({ emptyPoll: '200' }),
    ]);
  });

  it('that are valid compile: part of a group, functions as secrets, all but baseUrl left out', () => {
    checksOnlyTypes();
    expectTypeOf<{ baseUrl: string }>().toExtend<HubClientOptions>();
    expectTypeOf<{ retry: { attempts: 1 } }>().toExtend<Partial<HubClientOptions>>();
    expectTypeOf<() => Promise<string>>().toExtend<NonNullable<HubClientOptions['apiKey']>>();
    expectTypeOf<() => string>().toExtend<NonNullable<HubClientOptions['clientSecret']>>();
    expectTypeOf<false | Console>().toExtend<NonNullable<HubClientOptions['logger']>>();
    expectTypeOf<ManualClock>().toExtend<NonNullable<HubClientOptions['clock']>>();
    expectTypeOf<MockHub['fetch']>().toExtend<NonNullable<HubClientOptions['fetch']>>();
    expectTypeOf(HubClient.fromEnv).parameter(0).toEqualTypeOf<Partial<HubClientOptions> | undefined>();
    expectTypeOf<HubClient>().toExtend<AsyncDisposable>();
  });
});

describe('documents', () => {
  it('of a merchant are deeply readonly, and misspelled keys do not compile', () => {
    compiles(async (hub) => {
      const { merchant, stale } = await hub.merchant.get();
      expectTypeOf(merchant).toEqualTypeOf<Merchant>();
      expectTypeOf(stale).toEqualTypeOf<false | 'expired' | 'error'>();
      // @ts-expect-error the root
      merchant.status = 'UNAVAILABLE';
      // @ts-expect-error a list
      merchant.items.push(merchant.items[0] as Item);
      // @ts-expect-error an entry of a list
      merchant.items[0] = merchant.items[1];
      for (const offer of merchant.itemOffers) {
        // @ts-expect-error a field of an object of an entry
        offer.price.value = 0;
        // @ts-expect-error a list of ids
        offer.availabilityId?.push('x');
      }
      // @ts-expect-error a key no merchant has
      merchant.itemOffer;
    });
  });

  it('of an order are readonly, or of the type of the schema that was passed', () => {
    compiles(async (hub) => {
      const { order, issues } = await hub.orders.get('o');
      expectTypeOf(order).toEqualTypeOf<Order>();
      expectTypeOf(issues).toEqualTypeOf<readonly Issue[]>();
      // @ts-expect-error a field of a line
      if (order.items[0]) order.items[0].quantity = 2;
      const schema = z.object({ id: z.string(), createdAt: z.string().transform((text) => new Date(text)) });
      const own = await hub.orders.get('o', { schema });
      expectTypeOf(own.order).toEqualTypeOf<{ id: string; createdAt: Date }>();
    });
  });

  it('have open enums: any string compiles, and the known ones are suggested', () => {
    type Unit = Exclude<Item['unit'], undefined>;
    expectTypeOf<'8 pieces'>().toExtend<Unit>();
    expectTypeOf<Extract<Unit, 'KG'>>().toEqualTypeOf<'KG'>();
    expectTypeOf<Extract<Merchant['status'], 'AVAILABLE'>>().toEqualTypeOf<'AVAILABLE'>();
    expectTypeOf<'CLOSED_FOR_EVER'>().toExtend<Merchant['status']>();
    expectTypeOf<Extract<Order['type'], 'INDOOR'>>().toEqualTypeOf<'INDOOR'>();
    expectTypeOf<Extract<OrderStatusCommand, 'dispatch'>>().toEqualTypeOf<'dispatch'>();
    compiles((hub) => hub.orders.updateStatus('o', 'validateCode', { deliveryCode: '1' }));
  });
});

describe('errors', () => {
  it('are narrowed by isHubError, and their fields by code', () => {
    const fieldOf = (error: unknown): unknown => {
      if (!isHubError(error)) return undefined;
      expectTypeOf(error).toEqualTypeOf<AnyHubError>();
      expectTypeOf(error.retryable).toEqualTypeOf<boolean>();
      switch (error.code) {
        case 'rate_limit':
          expectTypeOf(error.retryAfterMs).toEqualTypeOf<number>();
          expectTypeOf(error.origin).toEqualTypeOf<'hub' | 'local'>();
          return error.retryAfterMs;
        case 'authentication':
          expectTypeOf(error.which).toEqualTypeOf<'token' | 'bearer' | 'apiKey'>();
          return error.which;
        case 'configuration':
          return error.option;
        case 'invalid_response':
          expectTypeOf(error.issues).toEqualTypeOf<readonly Issue[]>();
          return error.issues;
        case 'server':
          expectTypeOf(error.status).toEqualTypeOf<number>();
          // @ts-expect-error only a RateLimitError has it
          return error.retryAfterMs;
        // @ts-expect-error there is no such code
        case 'ratelimit':
          return undefined;
        default:
          return error.code;
      }
    };
    const thrown = (() => {
      try {
        return new HubClient({ baseUrl: 'nonsense' });
      } catch (error) {
        return error;
      }
    })();
    expect(fieldOf(thrown)).toBe('baseUrl');
    expect(fieldOf(new Error('another'))).toBeUndefined();
  });
});

it('the mock hub accepts only its own endpoints and faults', () => {
  compiles((_hub, _poller, mock) => {
    mock.faults.next('polling', 'hang');
    mock.faults.next('order', { type: 'status', status: 503, body: { any: 'json' } }, 3);
    // @ts-expect-error no such endpoint
    mock.faults.next('orders', 500);
    // @ts-expect-error no such fault
    mock.faults.next('order', 'explode');
    // @ts-expect-error a latency needs its ms
    mock.faults.next('order', { type: 'latency' });
    expectTypeOf(mock.createOrder().order).toEqualTypeOf<Json>();
    expectTypeOf<'dribble'>().toExtend<Fault['type']>();
  });
});

describe('postgresState', () => {
  it('accepts a pool or a client of node-postgres, and PGlite, and nothing else', () => {
    compiles(() => postgresState({} as Pool));
    compiles(() => postgresState({} as Client));
    compiles(() => postgresState({} as PGlite, { schema: 'shop' }));
    // @ts-expect-error an address is not a pool
    compiles(() => postgresState('postgres://localhost'));
    // @ts-expect-error a misspelled option
    compiles(() => postgresState({} as Pool, { shema: 'shop' }));
    expectTypeOf<PostgresState>().toExtend<State>();
  });
});

describe('redisState', () => {
  // Called, not ReturnType<typeof …>, which takes the compiler seconds.
  const redis = undefined as unknown as typeof import('redis');
  it('accepts the clients, clusters and pools of both libraries, and nothing else', () => {
    compiles(() => redisState({} as Redis));
    compiles(() => redisState({} as Cluster));
    compiles(() => redisState(redis.createClient()));
    compiles(() => redisState(redis.createCluster({ rootNodes: [] })));
    compiles(() => redisState(redis.createClientPool()));
    // @ts-expect-error an address is not a client
    compiles(() => redisState('redis://localhost'));
    // @ts-expect-error a misspelled option
    compiles(() => redisState({} as Redis, { perfix: 'a:' }));
  });
});
