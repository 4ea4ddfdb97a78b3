import type { Clock } from 'opendelivery-client';
import { type PostgresPool, postgresState } from 'opendelivery-client/sql';

/** Replaces the clock of the functions by a table. While that is empty, the time is the real one. */
export async function controlTime(pool: PostgresPool, schema = 'opendelivery'): Promise<void> {
  await postgresState(pool, { schema }).migrate();
  const statements = [
    `create table if not exists ${schema}.test_time (id integer primary key, now_at timestamptz not null)`,
    `create or replace function ${schema}.state_time() returns timestamptz language sql volatile
     as 'select coalesce((select now_at from ${schema}.test_time), clock_timestamp())'`,
  ];
  for (const statement of statements) await pool.query(statement);
}

/** The pool, with a server whose clock is the test's. Each call makes another object, and so another state. */
export function poolAt(pool: PostgresPool, clock: Clock, schema = 'opendelivery'): PostgresPool {
  let known = Number.NaN;
  const query: PostgresPool['query'] = async (text, values) => {
    const now = clock.now();
    if (now !== known) {
      await pool.query(
        `insert into ${schema}.test_time values (1, to_timestamp($1::float8 / 1000))
         on conflict (id) do update set now_at = excluded.now_at`,
        [now],
      );
      known = now;
    }
    return pool.query(text, values);
  };
  return new Proxy(pool, { get: (target, name) => (name === 'query' ? query : Reflect.get(target, name)) });
}

/** Removes what the tests before have written. */
export async function empty(pool: PostgresPool, schema = 'opendelivery'): Promise<void> {
  const tables = ['test_time', 'state_values', 'state_slots', 'state_shuts', 'state_leases', 'state_marks'];
  await pool.query(`truncate ${tables.map((table) => `${schema}.${table}`).join()}`);
}
