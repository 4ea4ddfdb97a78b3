import { sqlInbox } from 'opendelivery-client/sql';

/** @param prisma - a PrismaClient of Postgres. */
export const inboxOf = (prisma, schema) =>
  sqlInbox({
    dialect: 'postgres',
    schema,
    query: (text, parameters, tx) =>
      /^create|^select pg_/.test(text)
        ? (tx ?? prisma).$executeRawUnsafe(text).then(() => [])
        : (tx ?? prisma).$queryRawUnsafe(text, ...parameters),
    transaction: (run) => prisma.$transaction(run),
  });
