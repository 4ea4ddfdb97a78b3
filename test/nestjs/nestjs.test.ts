import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Controller, Get, Inject, Injectable, Module, Scope } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import {
  type EventContext,
  type FleetEventContext,
  HubClient,
  HubFleet,
  type OrderEvent,
  type PollerError,
  readinessHandler,
} from 'opendelivery-client';
import { OnOrderEvent, OpenDeliveryHealth, OpenDeliveryModule } from 'opendelivery-client/nestjs';
import { sqliteInbox } from 'opendelivery-client/sql';
import { defer, EMPTY, of, tap, throwError } from 'rxjs';
import { describe, expect, expectTypeOf, it, onTestFinished } from 'vitest';
import { checksOnlyTypes } from '../assertions.js';
import { stores } from '../fleet/support.js';
import { memoryDatabase } from '../inbox/support.js';
import { soon } from '../soon.js';
import { afterAdvance, gate, requestsTo } from '../support.js';
import { nestStage, PLATFORMS, start } from './support.js';

const NOT_POLLED = 'log: no provider or controller has a method with @OnOrderEvent: orders are not polled';

class Printer {
  readonly printed: string[] = [];
  constructor(readonly parts?: object) {}

  @OnOrderEvent('CREATED')
  print({ orderId }: OrderEvent<'CREATED'>) {
    this.printed.push(orderId);
  }
}

@Controller()
class HealthController {
  constructor(@Inject(OpenDeliveryHealth) readonly health: OpenDeliveryHealth) {}

  @Get('health')
  check() {
    return this.health.isHealthy('orders');
  }
}

describe.each(PLATFORMS)('an application on %s', (platform) => {
  it('calls decorated methods of providers and controllers, and acknowledges what they have handled', async () => {
    const { clock, mock, one } = nestStage();
    const saved: string[] = [];

    @Injectable()
    class OrdersService {
      constructor(@Inject(HubClient) readonly hub: HubClient) {}

      @OnOrderEvent('CREATED')
      async save(event: OrderEvent<'CREATED'>, { hub, attempt }: EventContext) {
        expect(this).toBeInstanceOf(OrdersService);
        expect(hub).toBe(this.hub);
        const { order } = await hub.orders.get(event.orderId);
        if (attempt === 1) throw new Error('the printer is out of paper');
        saved.push(`${order.type} at attempt ${attempt}`);
        await this.hub.orders.confirm(event.orderId);
      }
    }

    @Controller('orders')
    class OrdersController {
      @OnOrderEvent('CONFIRMED')
      @OnOrderEvent('REFUNDED' as string)
      note({ eventType }: OrderEvent<string>) {
        saved.push(eventType);
      }

      @Get()
      list() {
        return saved;
      }
    }

    const { app, url, logger } = await start(one, [OrdersService], {
      platform,
      controllers: [OrdersController, HealthController],
    });
    const { orderId } = mock.createOrder();
    await clock.advance('2m');
    mock.emit('REFUNDED', { orderId });
    await clock.advance('1m');
    expect(await (await fetch(`${url}/orders`)).json()).toEqual([
      'DELIVERY at attempt 2',
      'CONFIRMED',
      'REFUNDED',
    ]);
    expect(mock.pending()).toEqual([]);
    expect(mock.violations()).toEqual([]);
    expect(await (await fetch(`${url}/health`)).json()).toMatchObject({
      orders: { status: 'up', polling: 'running', unacknowledged: 0 },
    });
    await app.close();
    expect(logger.lines).toEqual([
      expect.stringMatching(
        /^error: opendelivery-client: a listener of CREATED failed; .*: the printer is out of paper \{/,
      ),
      'log: stopped: 3 handled, 3 acknowledged, 0 left at the hub',
    ]);
  });

  it('polls many stores if the options have stores, and the context has the store', async () => {
    const { clock, ofMany, many } = nestStage();
    const saved: string[] = [];

    @Injectable()
    class OrdersService {
      constructor(@Inject(HubFleet) readonly fleet: HubFleet) {}

      @OnOrderEvent('event')
      async save({ orderId }: OrderEvent<string>, { storeId, hub }: FleetEventContext) {
        expect(hub).toBe(this.fleet.hub(storeId));
        saved.push(`${storeId} ${(await hub.orders.get(orderId)).order.id}`);
      }
    }

    const { app, logger } = await start(many, [OrdersService], { platform });
    const orders = many.stores.map(({ clientId }) => ofMany.createOrder({ clientId }).orderId);
    await clock.advance('2m');
    expect(saved.sort()).toEqual(orders.map((orderId, index) => `store-${index} ${orderId}`));
    await afterAdvance(clock, '1s', app.close());
    expect(logger.lines).toEqual(['log: stopped: 3 handled, 3 acknowledged, 0 left at the hub']);
  });

  it('polls stores that cannot be read at the start when they can be, and reports it', async () => {
    const { clock, ofMany, many } = nestStage();
    const handled: string[] = [];
    const errors: string[] = [];

    @Injectable()
    class OrdersService {
      @OnOrderEvent('CREATED')
      save({ orderId }: OrderEvent) {
        handled.push(orderId);
      }
      @OnOrderEvent('error')
      note(error: Error) {
        errors.push(error.message);
      }
    }

    let reads = 0;
    const source = () => {
      reads += 1;
      if (reads < 3) throw new Error('the database is starting');
      return many.stores;
    };
    const { app, logger } = await start({ ...many, stores: source }, [OrdersService], { platform });
    const { orderId } = ofMany.createOrder({ clientId: many.stores[0]?.clientId });
    await clock.advance('119s');
    expect(errors).toEqual(['the database is starting', 'the database is starting']);
    await clock.advance('1m');
    expect(handled).toEqual([orderId]);
    await afterAdvance(clock, '1s', app.close());
    expect(logger.lines).toEqual(['log: stopped: 1 handled, 1 acknowledged, 0 left at the hub']);
  });

  it('reports no failure of a read of the stores that ends after the application', async () => {
    const { clock, many } = nestStage();
    const errors: string[] = [];

    @Injectable()
    class OrdersService {
      @OnOrderEvent('CREATED')
      save() {}
      @OnOrderEvent('error')
      note(error: Error) {
        errors.push(error.message);
      }
    }

    let fail = (_: Error) => {};
    const source = () =>
      new Promise<never>((_, reject) => {
        fail = reject;
      });
    const { app, logger } = await start({ ...many, stores: source }, [OrdersService], { platform });
    await app.close();
    fail(new Error('the pool is closed'));
    await clock.advance(0);
    expect(errors).toEqual([]);
    expect(logger.lines).toEqual(['log: stopped: 0 handled, 0 acknowledged, 0 left at the hub']);
  });

  it('starts and serves while the hub is down, and is up from the first good poll on', async () => {
    const { clock, mock, one } = nestStage();
    @Injectable()
    class OrdersService {
      @OnOrderEvent('CREATED')
      save() {}
      @OnOrderEvent('error')
      report(_error: PollerError) {}
    }
    mock.faults.random({ seed: 1, rate: 1, types: ['reset'] });
    const { app, url } = await start(one, [OrdersService], { platform, controllers: [HealthController] });
    const health = async () => ((await (await fetch(`${url}/health`)).json()) as { orders: object }).orders;
    expect(await health()).toMatchObject({ status: 'down', polling: 'starting' });
    mock.faults.clear();
    await clock.advance('5m');
    expect(await health()).toMatchObject({ status: 'up', polling: 'running', consecutiveFailures: 0 });
    expect(readinessHandler(app.get(OpenDeliveryHealth))(new Request('http://pod/')).status).toBe(200);
  });
});

describe('credentials that the hub refuses at the start', () => {
  it.each([true, false])(
    'are reported, and tried again as later ones are; with a listener of error: %s',
    async (isHeard) => {
      const { clock, mock, one } = nestStage();
      const lines: string[] = [];
      const log = (level: string) => (message: string, fields?: { error?: Error }) =>
        void lines.push(`${level}: ${message}; ${fields?.error?.message}`);
      const logger = { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') };
      const errors: PollerError[] = [];
      class Errors {
        @OnOrderEvent('error')
        report(error: PollerError) {
          errors.push(error);
        }
      }
      mock.faults.next('token', 401, 2);
      const { app } = await start({ ...one, logger }, [Printer, ...(isHeard ? [Errors] : [])]);
      const { orderId } = mock.createOrder();
      await clock.advance('1m');
      if (isHeard) expect(errors).toMatchObject([{ code: 'authentication', status: 401 }]);
      else expect(lines).toEqual([expect.stringMatching(/^error: opendelivery-client: .*; token: .* 401/)]);
      expect(app.get(OpenDeliveryHealth).health()).toMatchObject({ status: 'starting' });
      await clock.advance('1m');
      expect(requestsTo(mock, 'token')).toHaveLength(1);
      await clock.advance('15m');
      expect(app.get(Printer).printed).toEqual([orderId]);
      expect(app.get(OpenDeliveryHealth).health()).toMatchObject({ status: 'running' });
      await app.close();
      expect(lines.at(-1)).toBe('info: stopped: 1 handled, 1 acknowledged, 0 left at the hub; undefined');
    },
  );

  it('do not keep the application from ending', async () => {
    const { clock, mock, one } = nestStage();
    mock.faults.next('token', 401);
    const { app } = await start({ ...one, logger: false }, [Printer]);
    await clock.advance('1m');
    await app.close();
    await clock.advance('1h');
    expect(mock.requests.map(({ endpoint }) => endpoint)).toEqual(['token']);
  });
});

describe('the end of an application', () => {
  it('waits for the listeners, and the client works until the servers are closed', async () => {
    const { clock, mock, one } = nestStage();
    const work = gate();
    const steps: string[] = [];
    @Injectable()
    class OrdersService {
      constructor(@Inject(HubClient) readonly hub: HubClient) {}
      @OnOrderEvent('CREATED')
      async save({ orderId }: OrderEvent<'CREATED'>) {
        await work.promise;
        await this.hub.orders.confirm(orderId);
        steps.push('confirmed');
      }
      onApplicationShutdown() {
        steps.push('the database is closed');
      }
    }
    const { app } = await start(one, [OrdersService]);
    mock.createOrder();
    await clock.advance('1m');
    const hub = app.get(HubClient);
    const closed = app.close();
    await clock.advance('1s');
    expect(steps).toEqual([]);
    work.open();
    await clock.advance('1s');
    await closed;
    expect(steps).toEqual(['confirmed', 'the database is closed']);
    expect(mock.acknowledged().map(({ eventType }) => eventType)).toEqual(['CREATED']);
    await expect(hub.auth.renew()).rejects.toMatchObject({ code: 'closed' });
  });

  it('leaves no connection open, also of a fleet that only sends commands', async () => {
    const server = createServer((request, response) => {
      const token = { access_token: 'a-token', token_type: 'bearer', expires_in: 604_800 };
      response.writeHead(request.url?.endsWith('/token') ? 200 : 404, { 'content-type': 'application/json' });
      response.end(JSON.stringify(token));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { app } = await start({ baseUrl, stores: stores(1) }, []);
    const { orders } = app.get(HubFleet).hub('store-0');
    await expect(orders.get('1')).rejects.toMatchObject({ status: 404 });
    const connections = () =>
      new Promise((resolve) => server.getConnections((_error, count) => resolve(count)));
    expect(await connections()).toBe(1);
    await app.close();
    await soon(async () => expect(await connections()).toBe(0));
  });

  it('waits no longer than closeTimeoutMs', async () => {
    const { clock, mock, one } = nestStage();
    const work = gate();
    @Injectable()
    class OrdersService {
      @OnOrderEvent('CREATED')
      save() {
        return work.promise;
      }
    }
    const { app, logger } = await start({ ...one, closeTimeoutMs: 5000 }, [OrdersService]);
    mock.createOrder();
    await clock.advance('1m');
    let isClosed = false;
    const closed = app.close().then(() => {
      isClosed = true;
    });
    await clock.advance(4999);
    expect(isClosed).toBe(false);
    await clock.advance(1);
    await closed;
    expect(logger.lines.at(-1)).toBe(
      'log: stopped: 0 handled, 0 acknowledged, 1 left at the hub; listeners were still running when the time was over',
    );
    work.open();
  });
});

describe('forRootAsync', () => {
  @Injectable()
  class Config {
    readonly stage = nestStage();
  }
  @Module({ providers: [Config], exports: [Config] })
  class ConfigModule {}

  @Injectable()
  class OrdersService {
    saved = 0;
    @OnOrderEvent('event')
    save() {
      this.saved += 1;
    }
  }

  it.each(['one', 'many'] as const)('makes its options of other providers: %s', async (kind) => {
    const { app } = await start(
      OpenDeliveryModule.forRootAsync({
        imports: [ConfigModule],
        inject: [Config],
        useFactory: async ({ stage }: Config) => stage[kind],
      }),
      [OrdersService],
    );
    const { clock, mock, ofMany } = app.get(Config).stage;
    if (kind === 'one') mock.createOrder();
    else ofMany.createOrder({ clientId: '1001' });
    await clock.advance('1m');
    expect(app.get(OrdersService).saved).toBe(1);
    const [right, wrong] = kind === 'one' ? [HubClient, HubFleet] : [HubFleet, HubClient];
    expect(app.get<object>(right)).toBeInstanceOf(right);
    const other = app.get<HubClient & HubFleet>(wrong);
    const message =
      kind === 'one'
        ? 'HubFleet: is not there, because the options do not have `stores`; inject HubClient'
        : 'HubClient: is not there, because the options have `stores`; inject HubFleet';
    expect(() => (kind === 'one' ? other.health() : other.orders)).toThrow(message);
    await afterAdvance(clock, '1s', app.close());
  });
});

describe('an application does not start', () => {
  const { one } = nestStage();

  it('if the name of an event is misspelled', async () => {
    class OrdersService {
      @OnOrderEvent('CREATE' as string)
      save() {}
    }
    await expect(start(one, [OrdersService])).rejects.toThrow(
      /^OnOrderEvent: 'CREATE' of OrdersService\.save: .*CREATED/,
    );
  });

  it('if an event has two listeners with an inbox', async () => {
    const database = memoryDatabase();
    class OrdersService {
      @OnOrderEvent('CREATED')
      save() {}
      @OnOrderEvent('event')
      log() {}
    }
    await expect(
      start({ ...one, poller: { inbox: sqliteInbox(database) } }, [OrdersService]),
    ).rejects.toThrow(
      "OnOrderEvent: 'event' of OrdersService.log: listeners: with an inbox an event has one listener",
    );
  });

  it.each(['clientId', 'clientSecret'])('if it has listeners and no %s', async (name) => {
    await expect(start({ ...one, [name]: undefined, logger: undefined }, [Printer])).rejects.toThrow(
      `${name}: is required for events and orders`,
    );
    const { app } = await start({ ...one, [name]: undefined }, []);
    expect((await app.get(HubClient).merchant.get()).merchant.basicInfo.name).toBeTruthy();
  });

  it('if it has listeners, and none of them is for an order event', async () => {
    class Errors {
      @OnOrderEvent('error')
      report(_error: PollerError) {}
    }
    for (const options of [nestStage().one, nestStage().many]) {
      await expect(start(options, [Errors])).rejects.toThrow('listeners: ');
    }
  });

  it('if a class with listeners has two instances, also of factories', async () => {
    const made = ['one', 'another'].map((provide) => ({ provide, useFactory: () => new Printer() }));
    await expect(start(one, made)).rejects.toThrow('OnOrderEvent: Printer is created twice');
  });

  it('if a static method is decorated, which is refused where the class is declared', () => {
    const declare = () => {
      class Orders {
        @OnOrderEvent('CREATED')
        static save() {}
        readonly saved = 0;
      }
      return Orders;
    };
    expect(declare).toThrow(
      "OnOrderEvent: 'CREATED' of Orders.save: is a static method; Nest makes instances, so decorate a method of them",
    );
  });

  it('if a class with listeners is provided by two modules', async () => {
    @Injectable()
    class OrdersService {
      @OnOrderEvent('CREATED')
      save() {}
    }
    @Module({ providers: [OrdersService] })
    class OneModule {}
    @Module({ providers: [OrdersService], imports: [OneModule, OpenDeliveryModule.forRoot(one)] })
    class TwoModule {}
    await expect(NestFactory.create(TwoModule, { logger: false, abortOnError: false })).rejects.toThrow(
      'OnOrderEvent: OrdersService is created twice, so each event would be handled twice',
    );
  });

  it.each([
    [{ ...one, retries: 3 }, 'retries: is not an option'],
    [{ ...one, closeTimeoutMs: -1 }, 'closeTimeoutMs: must be a number (ms)'],
    [{ ...one, poller: { intervalMs: 5 } }, 'intervalMs: must be'],
    [undefined, 'baseUrl: is missing'],
  ])('if an option is wrong: %#', async (options, message) => {
    await expect(start(OpenDeliveryModule.forRoot(options as never), [])).rejects.toThrow(message);
  });
});

describe('a class with listeners', () => {
  it.each([
    ['a factory', { useFactory: async (hub: HubClient) => new Printer(hub.auth), inject: [HubClient] }],
    ['the application itself', { useValue: new Printer() }],
    ['a factory, as a proxy', { useFactory: () => new Proxy(new Printer(), {}) }],
  ])('is found if its instance is made by %s', async (_name, how) => {
    const { clock, mock, one } = nestStage();
    const { app } = await start(one, [
      { provide: 'printer', ...how },
      { provide: 'another name', useExisting: 'printer' },
      { provide: 'nothing', useValue: null },
    ]);
    const { orderId } = mock.createOrder();
    await clock.advance('1m');
    expect(app.get<Printer>('printer').printed).toEqual([orderId]);
    expect(mock.pending()).toEqual([]);
  });

  it('can inherit and override them, and each is called once', async () => {
    const { clock, mock, one } = nestStage();
    const calls: string[] = [];
    class Base {
      @OnOrderEvent('CREATED')
      save() {
        calls.push('base');
      }
      @OnOrderEvent('CONFIRMED')
      note() {
        calls.push('noted');
      }
    }
    @Injectable()
    class OrdersService extends Base {
      @OnOrderEvent('CREATED')
      override save() {
        calls.push('own');
      }
    }
    await start(one, [OrdersService]);
    const { orderId } = mock.createOrder();
    mock.emit('CONFIRMED', { orderId });
    await clock.advance('1m');
    expect(calls.sort()).toEqual(['noted', 'own']);
  });

  it.each(['provider', 'controller', 'factory'])(
    'that is request-scoped, also through a dependency, is refused, as a %s',
    async (kind) => {
      const { one } = nestStage();
      @Injectable({ scope: Scope.REQUEST })
      class Tenant {}
      @Injectable()
      @Controller()
      class Kitchen {
        constructor(@Inject(Tenant) readonly tenant: Tenant) {}
        @OnOrderEvent('CREATED')
        save() {}
      }
      const controllers = kind === 'controller' ? [Kitchen] : [];
      const made = { provide: Kitchen, scope: Scope.REQUEST, useFactory: () => new Kitchen(new Tenant()) };
      const providers = [Tenant, ...(kind === 'provider' ? [Kitchen] : kind === 'factory' ? [made] : [])];
      await expect(start(one, providers, { controllers })).rejects.toThrow(
        'OnOrderEvent: Kitchen is request-scoped, perhaps through what it injects, so its methods would not be called',
      );
    },
  );

  it.each([false, true])(
    'may return an Observable, whose work is done before its event is acknowledged (async: %s)',
    async (isAsync) => {
      const { clock, mock, one } = nestStage();
      const orders = [() => throwError(() => new Error('no printer')), () => of('printed')];
      const done: unknown[] = [];
      @Injectable()
      class OrdersService {
        @OnOrderEvent('CREATED')
        save() {
          const printing = defer(() => orders.shift()?.() ?? EMPTY).pipe(
            tap((value) => void done.push(value)),
          );
          return isAsync ? Promise.resolve(printing) : printing;
        }
      }
      await start(one, [OrdersService]);
      const { orderId } = mock.createOrder();
      await clock.advance('1s');
      expect([mock.pending().length, done]).toEqual([1, []]);
      await clock.advance('2m');
      expect([mock.acknowledged(), done]).toMatchObject([[{ orderId }], ['printed']]);
      expect(mock.pending()).toEqual([]);
    },
  );

  it('needs no module of OpenDelivery in a unit test', async () => {
    @Injectable()
    class OrdersService {
      @OnOrderEvent('CREATED')
      save() {
        return 'saved';
      }
    }
    expect(new OrdersService().save()).toBe('saved');
    @Module({ providers: [OrdersService] })
    class AppModule {}
    const app = await NestFactory.createApplicationContext(AppModule, { logger: false });
    expect(app.get(OrdersService).save()).toBe('saved');
    await app.close();
  });
});

it('an application without listeners polls nothing, is ready, and its client works', async () => {
  const { mock, one } = nestStage();
  const { app, url, logger } = await start(one, [], { controllers: [HealthController] });
  expect((await app.get(HubClient).merchant.get()).merchant.basicInfo.name).toBeTruthy();
  expect(mock.requests.map(({ endpoint }) => endpoint)).toEqual(['merchant']);
  expect(logger.lines).toEqual([NOT_POLLED]);
  expect(await (await fetch(`${url}/health`)).json()).toMatchObject({ orders: { status: 'up' } });
});

it('the decorator does not compile on a method for another event, or with a misspelled literal', () => {
  checksOnlyTypes();
  class Wrong {
    // @ts-expect-error: an event of another type
    @OnOrderEvent('CREATED')
    one(_event: OrderEvent<'CONFIRMED'>) {}
    // @ts-expect-error: no event has this name
    @OnOrderEvent('CREATE')
    two() {}
  }
  expectTypeOf<Wrong>().toBeObject();
});

it('shows the status of a fleet in polling, and not how many stores poll', async () => {
  const { clock, many } = nestStage();
  @Injectable()
  class Orders {
    @OnOrderEvent('CREATED') save() {}
  }
  const { app } = await start(many, [Orders]);
  await clock.advance('31s');
  const health = await app.get(OpenDeliveryHealth).isHealthy('x');
  expect(health).toMatchObject({ x: { status: 'up', polling: 'running' } });
});
