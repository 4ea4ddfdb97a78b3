import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { HubClient, readinessHandler } from 'opendelivery-client';
import { OnOrderEvent, OpenDeliveryHealth, OpenDeliveryModule } from 'opendelivery-client/nestjs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { nestStage, start } from './support.js';

class Printer {
  readonly printed: string[] = [];
  @OnOrderEvent('CREATED')
  print({ orderId }: { orderId: string }) {
    this.printed.push(orderId);
  }
}

describe('an application', () => {
  it('does not start with two modules, whose pollers would both call the listeners', async () => {
    const { one, mock } = nestStage();
    mock.createOrder();
    class Feature {}
    class App {}
    const feature = { module: Feature, imports: [OpenDeliveryModule.forRoot(one)], providers: [Printer] };
    const root = { module: App, imports: [feature, OpenDeliveryModule.forRoot(one)] };
    const app = await NestFactory.create(root, { logger: false, abortOnError: false });
    onTestFinished(() => app.close().catch(() => {}));
    await expect(app.init()).rejects.toThrow('OpenDeliveryModule: is imported twice');
  });

  it('is not ready before the first good poll, also while its modules are initialized', async () => {
    const { one, clock } = nestStage();
    const seen: number[] = [];
    @Injectable()
    class Early implements OnModuleInit {
      constructor(@Inject(OpenDeliveryHealth) readonly health: OpenDeliveryHealth) {}
      onModuleInit() {
        seen.push(readinessHandler(this.health)(new Request('http://localhost/readyz')).status);
      }
    }
    const { app } = await start(one, [Printer, Early]);
    const ready = () =>
      readinessHandler(app.get(OpenDeliveryHealth))(new Request('http://localhost/')).status;
    seen.push(ready());
    await clock.advance('1s');
    seen.push(ready());
    expect(seen).toEqual([503, 503, 200]);
  });

  it('takes `stores: undefined` as absent', async () => {
    const { one } = nestStage();
    const { app } = await start({ ...one, stores: undefined } as never, []);
    expect(app.get(HubClient)).toBeInstanceOf(HubClient);
  });
});
