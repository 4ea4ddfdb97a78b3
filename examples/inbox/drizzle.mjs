import { sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import { sqlInbox } from 'opendelivery-client/sql';

/** A statement with $1, $2, … as Drizzle writes it. */
const statementOf = (text, parameters) =>
  sql.join(
    text
      .split(/\$\d+/)
      .flatMap((part, at) => [sql.raw(part), ...(at in parameters ? [sql`${parameters[at]}`] : [])]),
  );

export const inboxOf = (pool, schema) => {
  const database = drizzle({ client: pool });
  return sqlInbox({
    dialect: 'postgres',
    schema,
    query: async (text, parameters, tx) =>
      (await (tx ?? database).execute(statementOf(text, parameters))).rows,
    transaction: (run) => database.transaction(run),
  });
};
