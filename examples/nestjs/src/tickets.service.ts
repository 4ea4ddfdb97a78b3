import { Inject, Injectable, NotFoundException } from '@nestjs/common';
import { HubClient, type InboxContext, type OrderEvent } from 'opendelivery-client';
import { OnOrderEvent } from 'opendelivery-client/nestjs';
import type { Pool, PoolClient } from 'pg';
import { POOL } from './database';

export interface Ticket {
  readonly number: number;
  readonly order_id: string;
  readonly customer: string | null;
  readonly status: string;
}

@Injectable()
export class TicketsService {
  constructor(
    @Inject(HubClient) private readonly hub: HubClient,
    @Inject(POOL) private readonly pool: Pool,
  ) {}

  // #region listener
  /** The ticket, the mark of the event and the confirmation are one transaction: each happens once, whatever is killed. */
  @OnOrderEvent('CREATED')
  async print({ orderId }: OrderEvent<'CREATED'>, { commit }: InboxContext<PoolClient>): Promise<void> {
    const { order } = await this.hub.orders.get(orderId); // network first, outside of the transaction
    await commit(async (tx, outbox) => {
      const values = [orderId, order.customer?.name];
      await tx.query('insert into tickets (order_id, customer) values ($1, $2)', values);
      outbox.confirm(orderId);
    });
  }
  // #endregion

  @OnOrderEvent('CANCELLED')
  async cancel({ orderId }: OrderEvent<'CANCELLED'>, { commit }: InboxContext<PoolClient>): Promise<void> {
    await commit(async (tx) => {
      await tx.query("update tickets set status = 'cancelled' where order_id = $1", [orderId]);
    });
  }

  /** A person has pressed a button: the hub must accept it before the ticket says so. */
  async ready(number: number): Promise<Ticket> {
    const ticket = (await this.list()).find((each) => each.number === number);
    if (!ticket) throw new NotFoundException(`there is no ticket ${number}`);
    await this.hub.orders.readyForPickup(ticket.order_id);
    await this.pool.query("update tickets set status = 'ready' where number = $1", [number]);
    return { ...ticket, status: 'ready' };
  }

  async list(): Promise<Ticket[]> {
    return (await this.pool.query<Ticket>('select * from tickets order by number')).rows;
  }
}
