import type { DynamicModule } from '@nestjs/common';
import type { HubClientOptions, Inbox } from 'opendelivery-client';
import { OpenDeliveryModule } from 'opendelivery-client/nestjs';
import type { Pool, PoolClient } from 'pg';
import { ProbesController, TicketsController } from './controllers';
import { DatabaseModule, INBOX } from './database';
import { TicketsService } from './tickets.service';

export class ShopModule {
  /** The hub and the database are parameters, so that a test can pass others. */
  static forRoot(hub: HubClientOptions, pool: Pool): DynamicModule {
    return {
      module: ShopModule,
      imports: [
        DatabaseModule.forRoot(pool),
        OpenDeliveryModule.forRootAsync({
          inject: [INBOX],
          useFactory: (inbox: Inbox<PoolClient>) => ({ ...hub, poller: { inbox } }),
        }),
      ],
      controllers: [TicketsController, ProbesController],
      providers: [TicketsService],
    };
  }
}
