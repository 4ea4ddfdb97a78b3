import { Pool, type PoolClient } from 'pg';
import { importHub, importPeer, importSql } from '../packages.js';
import { JumpClock } from './jump-clock.js';
import type { Turns } from './main.js';

export interface InboxInput {
  /** The folder of Postgres' socket. */
  readonly host: string;
  /** The hub's address with label and number of events. */
  readonly hub: string;
  /** Events in each turn. */
  readonly events: number;
  /** Events that are handled at a time; and connections. */
  readonly concurrency: number;
}

/** Longer than the windows of the hub's limits: every quota is free again. */
const A_WINDOW_MS = 61_000;

/** Jobs that pg-boss fetches with one statement: as many as our inbox claims. */
const BATCH_SIZE = 200;

const PREPARE = 'create table if not exists tickets (order_id text not null)';
const WORK = 'insert into tickets (order_id) values ($1)';

async function applicationOf({ host, concurrency }: InboxInput): Promise<Pool> {
  const pool = new Pool({ host, user: 'postgres', database: 'postgres', max: concurrency });
  await pool.query('select pg_advisory_lock(19)');
  await pool.query(PREPARE);
  await pool.query('select pg_advisory_unlock_all()');
  return pool;
}

/** One poll, all of its events stored and acknowledged, and each handled in a transaction. */
export async function ours(input: InboxInput): Promise<Turns> {
  const [{ HubClient }, { postgresInbox }] = await Promise.all([importHub(), importSql()]);
  const { hub, events, concurrency } = input;
  const pool = await applicationOf(input);
  const inbox = postgresInbox(pool);
  await inbox.migrate();
  const clock = new JumpClock();
  const client = new HubClient({
    baseUrl: hub,
    clientId: '1',
    clientSecret: 'a secret',
    clock,
    logger: false,
  });
  const poller = client.poller({ inbox, concurrency });
  let handled = 0;
  poller.on('CREATED', async ({ orderId }, { commit }) => {
    await commit((tx) => tx.query(WORK, [orderId]));
    handled += 1;
  });
  return {
    async run() {
      clock.jump(A_WINDOW_MS);
      handled = 0;
      const { acknowledged } = await poller.runOnce();
      if (acknowledged !== events || handled !== events) {
        throw new Error(`${events} events expected: ${acknowledged} acknowledged, ${handled} handled`);
      }
    },
  };
}

interface Job {
  readonly id: string;
  readonly data: { readonly orderId: string };
}

interface Boss {
  start(): Promise<unknown>;
  createQueue(name: string): Promise<unknown>;
  insert(name: string, jobs: readonly { readonly data: object }[]): Promise<unknown>;
  fetch(name: string, options: object): Promise<readonly Job[]>;
  complete(name: string, id: string | readonly string[], data?: null, options?: object): Promise<unknown>;
  on(name: 'error', listener: (error: Error) => void): unknown;
}

const QUEUE = 'orders';

interface PgBossInput extends InboxInput {
  /** Whether a turn contains the writing of its jobs, as ours contains the storing of its events. */
  readonly writes: boolean;
  /** Whether a job is completed in the transaction of its work, as ours is. Otherwise all of a batch together, after it. */
  readonly isExact: boolean;
}

/** Fetches jobs, does the work of each in a transaction, and completes them. */
export async function pgBoss(input: PgBossInput): Promise<Turns> {
  const { PgBoss } = (await importPeer('pg-boss')) as { PgBoss: new (options: object) => Boss };
  const { host, events, concurrency, writes, isExact } = input;
  const pool = await applicationOf(input);
  const boss = new PgBoss({
    host,
    user: 'postgres',
    database: 'postgres',
    max: concurrency,
    schema: `pgboss_${process.pid}`,
    supervise: false,
    schedule: false,
  });
  boss.on('error', (error) => console.error(error));
  await boss.start();
  await boss.createQueue(QUEUE);
  let written = 0;
  const write = () =>
    boss.insert(
      QUEUE,
      Array.from({ length: events }, () => {
        written += 1;
        const orderId = `0b7e5d21-0000-4000-9000-${String(written).padStart(12, '0')}`;
        return {
          data: { eventId: orderId, eventType: 'CREATED', orderId, createdAt: new Date().toISOString() },
        };
      }),
    );
  const work = async (client: Pool | PoolClient, { data }: Job) => client.query(WORK, [data.orderId]);
  const workAndComplete = async (job: Job) => {
    const client = await pool.connect();
    try {
      await client.query('begin');
      await work(client, job);
      const db = { executeSql: (text: string, values?: unknown[]) => client.query(text, values) };
      await boss.complete(QUEUE, job.id, null, { db });
      await client.query('commit');
    } finally {
      client.release();
    }
  };
  return {
    ...(!writes && { prepare: write }),
    async run() {
      if (writes) await write();
      let done = 0;
      while (done < events) {
        const jobs = await boss.fetch(QUEUE, { batchSize: BATCH_SIZE });
        if (jobs.length === 0) throw new Error(`${events} jobs expected, ${done} fetched`);
        const waiting = [...jobs];
        const lane = async () => {
          for (let job = waiting.shift(); job; job = waiting.shift()) {
            await (isExact ? workAndComplete(job) : work(pool, job));
          }
        };
        await Promise.all(Array.from({ length: concurrency }, lane));
        if (!isExact)
          await boss.complete(
            QUEUE,
            jobs.map(({ id }) => id),
          );
        done += jobs.length;
      }
    },
  };
}
