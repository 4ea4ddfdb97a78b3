import { type DynamicModule, Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { postgresInbox } from 'opendelivery-client/sql';
import type { Pool } from 'pg';

export const POOL = Symbol('the pool of connections');
export const INBOX = Symbol('the inbox, in the same database');

const TICKETS = `create table if not exists tickets (
  number serial primary key,
  order_id text not null,
  customer text,
  status text not null default 'new'
)`;

/** Ends the pool after the last listener: `OpenDeliveryModule` waits for them in `beforeApplicationShutdown`. */
@Injectable()
class PoolEnd implements OnApplicationShutdown {
  constructor(@Inject(POOL) private readonly pool: Pool) {}

  async onApplicationShutdown(): Promise<void> {
    await this.pool.end();
  }
}

/** The database of the shop: the tickets, and the events and commands that belong to them. */
export class DatabaseModule {
  static forRoot(pool: Pool): DynamicModule {
    const openInbox = async () => {
      const inbox = postgresInbox(pool);
      await inbox.migrate();
      await pool.query(TICKETS);
      return inbox;
    };
    return {
      module: DatabaseModule,
      global: true,
      providers: [{ provide: POOL, useValue: pool }, { provide: INBOX, useFactory: openInbox }, PoolEnd],
      exports: [POOL, INBOX],
    };
  }
}
