import type { ConnectionOptions } from 'bullmq';
import type { WorkerConnection } from './options.js';

export interface QueueConnection {
  readonly connection: ConnectionOptions;
  /** Closes what was opened here. */
  readonly close: () => void;
}

interface Ioredis {
  readonly options: { readonly maxRetriesPerRequest?: number | null };
  duplicate(options: { maxRetriesPerRequest: null }): Ioredis;
  disconnect(): void;
}

/**
 * BullMQ refuses an ioredis client that gives up commands while Redis is away,
 * as it does by default. Such a client is duplicated.
 */
export function connectionFor(given: WorkerConnection): QueueConnection {
  if (!isIoredis(given) || !given.options.maxRetriesPerRequest) {
    return { connection: given as ConnectionOptions, close: () => {} };
  }
  const own = given.duplicate({ maxRetriesPerRequest: null });
  return { connection: own as unknown as ConnectionOptions, close: () => own.disconnect() };
}

function isIoredis(connection: object): connection is Ioredis {
  return 'defineCommand' in connection && 'duplicate' in connection && 'options' in connection;
}
