import { AsyncLocalStorage } from 'node:async_hooks';
import { importHub } from '../packages.js';
import type { Turns } from './main.js';

export interface AwaitsInput {
  /** The hub's address with label and number of events. */
  readonly hub: string;
  /** How many pollers run while the application awaits. */
  readonly pollers: number;
  readonly awaits: number;
  /** The application has an AsyncLocalStorage in use, as with OpenTelemetry. */
  readonly storage?: boolean;
}

/** `await null`, the cheapest use of a promise, in an application in which pollers run. */
export async function awaits({ hub, pollers, awaits: count, storage = false }: AwaitsInput): Promise<Turns> {
  if (storage) new AsyncLocalStorage().run({}, () => {});
  const { HubClient } = await importHub();
  const started = Array.from({ length: pollers }, (_, index) =>
    new HubClient({
      baseUrl: hub,
      clientId: String(1000 + index),
      clientSecret: `secret of store ${1000 + index}`,
      logger: false,
    })
      .poller()
      .on('CREATED', () => {}),
  );
  for (const poller of started) await poller.start();
  return {
    async run() {
      for (let each = 0; each < count; each += 1) await null;
    },
  };
}
