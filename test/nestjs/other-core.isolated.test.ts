import { OnOrderEvent } from 'opendelivery-client/nestjs';
import { expect, it, vi } from 'vitest';
import { nestStage, start } from './support.js';

// As if the package found another copy of it than the application.
vi.mock('@nestjs/core', async (original) => ({ ...(await original<object>()), ModulesContainer: class {} }));

it('an application whose @nestjs/core is not found gets a warning, and its own classes have their listeners', async () => {
  const { clock, mock, one } = nestStage();
  class Printer {
    readonly printed: string[] = [];
    @OnOrderEvent('CREATED')
    print({ orderId }: { orderId: string }) {
      this.printed.push(orderId);
    }
  }
  const { app, logger } = await start(one, [Printer]);
  const { orderId } = mock.createOrder();
  await clock.advance('1m');
  expect(app.get(Printer).printed).toEqual([orderId]);
  expect(logger.lines).toEqual([expect.stringMatching(/^warn: .*@nestjs\/core.*useFactory/)]);
});
