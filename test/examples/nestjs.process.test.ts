/** @module-tag slow */
import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { memoryState } from 'opendelivery-client';
import { createMockHub, ManualClock } from 'opendelivery-client/testing';
import { expect, onTestFinished } from 'vitest';
import { ShopModule } from '../../examples/nestjs/src/shop.module.js';
import { itWithPostgres } from '../state/postgres/server.js';

itWithPostgres(
  'the shop with Nest prints one ticket for an order and confirms it once, although the first commit fails and the hub repeats the event',
  async (startPostgres) => {
    const postgres = await startPostgres();
    onTestFinished(() => postgres.close());
    const clock = new ManualClock();
    const mock = createMockHub({ clock });
    const hub = {
      baseUrl: mock.baseUrl,
      ...mock.credentials,
      fetch: mock.fetch,
      clock,
      state: memoryState(),
    };
    const start = async () => {
      const module = ShopModule.forRoot(hub, postgres.pool({ max: 10 }));
      const app = await NestFactory.create(module, { logger: false });
      onTestFinished(() => app.close().catch(() => {}));
      await app.listen(0, '127.0.0.1');
      const url = await app.getUrl();
      return {
        app,
        get: (path: string) => fetch(`${url}${path}`),
        post: (path: string) => fetch(`${url}${path}`, { method: 'POST' }),
      };
    };
    const first = await start();
    const table = postgres.pool({ max: 1 });
    await table.query("alter table tickets add constraint broken check (status <> 'new')");
    expect((await first.get('/livez')).status).toBe(200);
    // The first poll is over: the second one, after 30 s, brings the order, which is tried once before 36 s.
    await clock.advance('1s');
    const { orderId, event } = mock.createOrder({ type: 'TAKEOUT', customer: { name: 'Ana Souza' } });
    await clock.advance('35s');
    expect(await (await first.get('/tickets')).json()).toEqual([]);
    expect(mock.acknowledged()).toHaveLength(1);
    expect(mock.emitted()).toHaveLength(1);
    await table.query('alter table tickets drop constraint broken');
    await clock.advance('2m');
    // The number of the ticket that was rolled back is lost.
    const tickets = [{ number: 2, order_id: orderId, customer: 'Ana Souza', status: 'new' }];
    expect(await (await first.get('/tickets')).json()).toEqual(tickets);
    expect((await first.get('/readyz')).status).toBe(200);
    await first.app.close();

    mock.redeliver(event.eventId);
    const second = await start();
    await clock.advance('2m');
    expect(await (await second.get('/tickets')).json()).toEqual(tickets);
    expect(await (await second.post('/tickets/2/ready')).json()).toMatchObject({ status: 'ready' });
    expect((await second.post('/tickets/9/ready')).status).toBe(404);
    mock.emit('CANCELLED', { orderId });
    await clock.advance('1m');
    expect(await (await second.get('/tickets')).json()).toMatchObject([{ number: 2, status: 'cancelled' }]);
    expect(mock.emitted().map(({ eventType }) => eventType)).toEqual([
      'CREATED',
      'CONFIRMED',
      'READY_FOR_PICKUP',
      'CANCELLED',
    ]);
    await second.app.close();
    expect(mock.pending().map(({ eventType }) => eventType)).toEqual([]);
    expect(mock.violations()).toEqual([]);
  },
  60_000,
);
