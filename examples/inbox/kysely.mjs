import { CompiledQuery, Kysely, PostgresDialect } from 'kysely';
import { sqlInbox } from 'opendelivery-client/sql';

export const inboxOf = (pool, schema) => {
  const database = new Kysely({ dialect: new PostgresDialect({ pool }) });
  return sqlInbox({
    dialect: 'postgres',
    schema,
    query: async (text, parameters, tx) =>
      (await (tx ?? database).executeQuery(CompiledQuery.raw(text, parameters))).rows,
    transaction: (run) => database.transaction().execute(run),
  });
};
