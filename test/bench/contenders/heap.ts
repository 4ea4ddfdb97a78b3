import type { Pool as UndiciPool } from 'undici';
import { importHub, importPeer } from '../packages.js';
import { usedBytes } from '../turns.js';

export interface HeapInput {
  readonly stores: number;
}

const optionsOf = (index: number) => ({
  baseUrl: 'https://hub.example',
  clientId: String(1000 + index),
  clientSecret: `secret of store ${1000 + index}`,
  logger: false as const,
});

/** Bytes of each of the objects that `create` returns. */
async function bytesOfEach(stores: number, create: (index: number) => unknown): Promise<number> {
  // What the first ones load or compile belongs to the process, not to a store.
  const first = [await create(-2), await create(-1)];
  const kept: unknown[] = new Array(stores).fill(undefined);
  const before = usedBytes();
  for (let index = 0; index < stores; index += 1) kept[index] = await create(index);
  const bytes = (usedBytes() - before) / stores;
  return first.length + kept.length > 0 ? bytes : Number.NaN;
}

/** A record with what a store needs, without any function. */
export const plainObjects = ({ stores }: HeapInput) =>
  bytesOfEach(stores, (index) => ({
    ...optionsOf(index),
    dueAt: index * 3,
    failures: 0,
    lastError: undefined,
  }));

/** A pool of connections for each store, as HTTP clients for one host are written. */
export async function pools({ stores }: HeapInput): Promise<number> {
  const { Pool } = (await importPeer('undici')) as { Pool: typeof UndiciPool };
  return bytesOfEach(stores, () => new Pool('https://hub.example', { connections: 1 }));
}

export async function clients({ stores }: HeapInput): Promise<number> {
  const { HubClient } = await importHub();
  return bytesOfEach(stores, (index) => new HubClient(optionsOf(index)));
}

/** The token is as long as one with claims; it is part of the figure. */
export async function clientsWithTokens({ stores }: HeapInput): Promise<number> {
  const { HubClient } = await importHub();
  let issued = 0;
  const fetch = async () => {
    issued += 1;
    const access_token = `${issued}.`.padEnd(600, 'eyJhbGciOiJSUzI1NiIsImtpZCI6IjE2');
    return new Response(JSON.stringify({ access_token, token_type: 'bearer', expires_in: 604_800 }), {
      headers: { 'content-type': 'application/json' },
    });
  };
  return bytesOfEach(stores, async (index) => {
    const hub = new HubClient({ ...optionsOf(index), fetch });
    await hub.auth.getToken();
    return hub;
  });
}

/** Pollers that have polled once and wait for the next poll. `hub` is the address of the hub of the bench. */
export async function startedPollers({ stores, hub }: HeapInput & { readonly hub: string }): Promise<number> {
  const { HubClient } = await importHub();
  return bytesOfEach(stores, async (index) => {
    const client = new HubClient({ ...optionsOf(index), baseUrl: hub });
    const poller = client.poller().on('CREATED', () => {});
    await poller.start();
    return [client, poller];
  });
}
