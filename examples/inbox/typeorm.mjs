import { sqlInbox } from 'opendelivery-client/sql';

/** @param source - an initialized DataSource of Postgres. */
export const inboxOf = (source, schema) =>
  sqlInbox({
    dialect: 'postgres',
    schema,
    query: async (text, parameters, tx) => {
      const returned = await (tx ?? source.manager).query(text, parameters);
      // Of an update, TypeORM returns the rows and their number.
      return Array.isArray(returned[0]) ? returned[0] : returned;
    },
    transaction: (run) => source.manager.transaction(run),
  });
