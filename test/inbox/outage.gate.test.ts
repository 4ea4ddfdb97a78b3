import { postgresInbox } from 'opendelivery-client/sql';
import { expect } from 'vitest';
import { itWithPostgres } from '../state/postgres/server.js';
import { requestsTo, stage } from '../support.js';

itWithPostgres(
  'while Postgres is stopped for a minute nothing is polled or acknowledged, and then each order gets one row, ticket and confirmation',
  async (startPostgres) => {
    const server = await startPostgres();
    try {
      const pool = server.pool();
      const inbox = postgresInbox(pool);
      await inbox.migrate();
      await pool.query('create table tickets (order_id text)');
      const { clock, mock, hub } = stage({ unansweredAfterMs: Number.POSITIVE_INFINITY }, { logger: false });
      const poller = hub.poller({ inbox });
      const errors: string[] = [];
      poller.on('error', ({ message }) => void errors.push(message));
      let stopsIn = '';
      poller.on('CREATED', async ({ orderId }, { commit }) => {
        if (orderId === stopsIn) {
          stopsIn = '';
          const release = clock.hold();
          await server.kill();
          release();
        }
        await commit(async (tx, outbox) => {
          await tx.query('insert into tickets values ($1)', [orderId]);
          outbox.confirm(orderId);
        });
      });
      const orders = [mock.createOrder().orderId];
      await poller.start();
      // The server stops while the second order is handled, which is stored and acknowledged.
      orders.push((stopsIn = mock.createOrder().orderId));
      await clock.advance('35s');
      expect(stopsIn).toBe('');
      const polls = requestsTo(mock, 'polling').length;
      const acknowledgments = requestsTo(mock, 'acknowledgment').length;
      orders.push(mock.createOrder().orderId, mock.createOrder().orderId);
      await clock.advance('1m');
      expect(requestsTo(mock, 'polling')).toHaveLength(polls);
      expect(requestsTo(mock, 'acknowledgment')).toHaveLength(acknowledgments);
      expect(errors.join('\n')).toContain('the inbox cannot be reached');
      expect(poller.health().consecutiveFailures).toBeGreaterThan(0);

      await server.start();
      await clock.advance('6m');
      await poller.stop();
      const { rows } = await pool.query(
        `select order_id as id, status, (select count(*)::int from tickets where tickets.order_id = inbox.order_id) as tickets
         from opendelivery.inbox order by inbox.id`,
      );
      expect(rows).toEqual(orders.map((id) => ({ id, status: 'handled', tickets: 1 })));
      const confirmed = mock.emitted().filter(({ eventType }) => eventType === 'CONFIRMED');
      expect(confirmed.map(({ orderId }) => orderId).sort()).toEqual([...orders].sort());
      expect(await inbox.stats()).toMatchObject({ waiting: 0, running: 0, failed: 0, commands: 0 });
      expect(mock.pending()).toEqual([]);
      expect(mock.violations()).toEqual([]);
    } finally {
      await server.close();
    }
  },
  120_000,
);
