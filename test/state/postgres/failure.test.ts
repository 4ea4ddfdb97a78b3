import { Pool } from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { toStateError } from '../../../src/state/postgres/failure.js';

describe('toStateError', () => {
  it.each([
    ['3F000', 'schema "opendelivery" does not exist', /await state\.migrate\(\)/],
    ['42883', 'function opendelivery.state_get(unknown) does not exist', /await state\.migrate\(\)/],
    ['42P01', 'relation "opendelivery.state_marks" does not exist', /await state\.migrate\(\)/],
    ['42501', 'permission denied for schema opendelivery', /lacks a permission; docs\/postgres-state/],
    ['25006', 'cannot execute INSERT in a read-only transaction', /connect the pool to the primary/],
    ['25000', 'the isolation level is serializable', /default_transaction_isolation to read committed/],
    ['57014', 'canceling statement due to statement timeout', /statement_timeout/],
    ['55P03', 'canceling statement due to lock timeout', /lock_timeout/],
    ['57P01', 'terminating connection due to administrator command', /cannot be reached/],
    ['57P03', 'the database system is starting up', /wait until it is ready/],
    ['53100', 'could not extend file "base/5/16385"', /the disk of Postgres is full/],
    ['53300', 'sorry, too many clients already', /no connection left/],
    ['28P01', 'password authentication failed for user "app"', /check the user, the password/],
    ['3D000', 'database "shop" does not exist', /check the user, the password and the database/],
    ['08P01', 'unsupported startup parameter: statement_timeout', /PgBouncer.*alter role/],
    ['08P01', 'no more connections allowed (max_client_conn)', /max_client_conn of PgBouncer/],
    ['08P01', 'query_wait_timeout', /default_pool_size of PgBouncer; or Postgres cannot be reached/],
    ['08P01', 'server login has been failing, try again later (server_login_retry)', /cannot be reached/],
    ['08006', 'connection failure', /cannot be reached/],
    ['ECONNREFUSED', 'connect ECONNREFUSED 127.0.0.1:5432', /cannot be reached/],
    ['EPIPE', 'write EPIPE', /cannot be reached/],
    ['', 'Connection terminated unexpectedly', /cannot be reached/],
    ['', 'timeout exceeded when trying to connect', /raise the max of the pool/],
    ['', 'Query read timeout', /took too long/],
    ['', 'Cannot use a pool after calling end on the pool', /end it after `hub\.close\(\)`/],
    [
      '',
      'SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string',
      /check the user, the password/,
    ],
  ])('adds to %s %j what to do', (code, message, remedy) => {
    const error = toStateError(Object.assign(new Error(message), code ? { code } : {}));
    expect(error.message).toMatch(remedy);
    expect(error).toMatchObject({ code: 'state', retryable: true, cause: { message } });
    expect(error.message.startsWith(`postgresState: ${message}; `)).toBe(true);
  });

  it('adds nothing to an error that it does not know', () => {
    const error = Object.assign(new Error('division by zero'), { code: '22012' });
    expect(toStateError(error).message).toBe('postgresState: division by zero');
    expect(toStateError('words').message).toBe('postgresState: words');
  });

  it('uses the code of an error without message, such as the AggregateError of a refused connection', () => {
    const error = Object.assign(new AggregateError([], ''), { code: 'ECONNREFUSED' });
    expect(toStateError(error).message).toMatch(/^postgresState: ECONNREFUSED; Postgres cannot be reached/);
  });

  it('keeps nothing of the error but its name, message and code', () => {
    const details = { code: '23505', detail: 'Key (value)=(secret)', where: 'secret', query: 'secret' };
    const { cause } = toStateError(Object.assign(new Error('duplicate key'), { name: 'error', ...details }));
    expect(cause).toEqual(Object.assign(new Error('duplicate key'), { name: 'error', code: '23505' }));
    expect(Object.keys(cause as object).sort()).toEqual(['code', 'name']);
  });

  it('says what to check if nobody listens at the address', async () => {
    for (const address of [{ host: '127.0.0.1', port: 1 }, { host: '/nonexistent' }]) {
      const pool = new Pool(address);
      onTestFinished(() => pool.end());
      const error = await pool.query('select 1').catch((thrown: unknown) => thrown);
      expect(toStateError(error).message).toMatch(/^postgresState: .+; Postgres cannot be reached/);
    }
  });
});
