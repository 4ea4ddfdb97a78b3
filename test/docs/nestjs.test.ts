import { Controller, Get, Inject, Injectable, Module } from '@nestjs/common';
import {
  type EventContext,
  HubClient,
  HubFleet,
  type HubFleetOptions,
  type Order,
  type OrderEvent,
} from 'opendelivery-client';
import { OnOrderEvent, OpenDeliveryHealth, OpenDeliveryModule } from 'opendelivery-client/nestjs';
import { expect, it, vi } from 'vitest';
import { nestStage, start } from '../nestjs/support.js';

it('receives orders in a provider', async () => {
  const { mock, clock, one } = nestStage();
  const database = new Map<string, Order>();
  vi.stubEnv('HUB_CLIENT_SECRET', mock.credentials.clientSecret);
  // #region use
  @Injectable()
  class OrdersService {
    constructor(@Inject(HubClient) private readonly hub: HubClient) {}

    @OnOrderEvent('CREATED')
    async save({ orderId }: OrderEvent<'CREATED'>, { signal }: EventContext) {
      const { order } = await this.hub.orders.get(orderId, { signal });
      database.set(orderId, order); // may run twice for one event: save by key
      if (order.lastEvent !== 'CANCELLED') await this.hub.orders.confirm(orderId);
    } // resolves: the event is acknowledged; throws: the hub sends it again
  }

  @Module({
    imports: [
      OpenDeliveryModule.forRoot({
        baseUrl: 'https://hub.example',
        clientId: '1234',
        clientSecret: process.env.HUB_CLIENT_SECRET as string,
      }),
    ],
    providers: [OrdersService],
  })
  class AppModule {}
  // #endregion
  expect(AppModule).toBeDefined();
  await start(one, [OrdersService]);
  const { orderId } = mock.createOrder();
  await clock.advance('1m');
  expect([...database.keys()]).toEqual([orderId]);
  expect(mock.violations()).toEqual([]);
  vi.unstubAllEnvs();
});

it('makes its options of other providers, and polls many stores', async () => {
  const { clock, many } = nestStage();
  @Injectable()
  class ConfigService {
    get(_name: string): HubFleetOptions {
      return many;
    }
  }
  @Module({ providers: [ConfigService], exports: [ConfigService] })
  class ConfigModule {}
  @Injectable()
  class OrdersService {
    constructor(@Inject(HubFleet) readonly fleet: HubFleet) {}
    @OnOrderEvent('CREATED')
    save() {}
  }
  // #region async
  const hubModule = OpenDeliveryModule.forRootAsync({
    imports: [ConfigModule],
    inject: [ConfigService],
    useFactory: (config: ConfigService) => ({
      ...config.get('hub'), // with `stores`: a HubFleet is made, and can be injected
      closeTimeoutMs: 20_000,
    }),
  });
  // #endregion
  const { app } = await start(hubModule, [OrdersService]);
  await clock.advance('31s');
  expect(app.get(OrdersService).fleet.health()).toMatchObject({ stores: 3, polling: 3 });
});

it('has an indicator of its health', async () => {
  const { clock, one } = nestStage();
  // #region health
  @Controller()
  class HealthController {
    constructor(@Inject(OpenDeliveryHealth) private readonly hub: OpenDeliveryHealth) {}

    @Get('readyz')
    check() {
      return this.hub.isHealthy('orders'); // in @nestjs/terminus: health.check([() => hub.isHealthy('orders')])
    }
  }
  // #endregion
  @Injectable()
  class OrdersService {
    @OnOrderEvent('event')
    save() {}
  }
  const { url } = await start(one, [OrdersService], { controllers: [HealthController] });
  await clock.advance('1s');
  expect(await (await fetch(`${url}/readyz`)).json()).toMatchObject({
    orders: { status: 'up', polling: 'running' },
  });
});
