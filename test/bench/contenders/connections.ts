import type { Agent as UndiciAgent } from 'undici';
import { importHub, importPeer } from '../packages.js';

export interface ConnectionsInput {
  /** The hub's address with label and number of events. */
  readonly hub: string;
  readonly polls: number;
}

const INTERVAL_MS = 30_000;
const POLL = '/opendelivery/v1/events:polling';

async function everyInterval(polls: number, poll: () => Promise<unknown>): Promise<void> {
  for (let count = 0; count < polls; count += 1) {
    await poll();
    await new Promise((resolve) => setTimeout(resolve, INTERVAL_MS));
  }
}

/** An Agent without options, as in undici's documentation. */
export async function undiciDefault({ hub, polls }: ConnectionsInput): Promise<void> {
  const { Agent } = (await importPeer('undici')) as { Agent: typeof UndiciAgent };
  const agent = new Agent();
  const { origin, pathname } = new URL(hub);
  await everyInterval(polls, async () => {
    const { body } = await agent.request({ origin, path: pathname + POLL, method: 'GET' });
    await body.dump();
  });
}

export const nodeFetch = ({ hub, polls }: ConnectionsInput) =>
  everyInterval(polls, async () => (await fetch(hub + POLL)).text());

/** A poller that runs, with nothing of its own replaced. */
export async function poller({ hub, polls }: ConnectionsInput): Promise<void> {
  const { HubClient } = await importHub();
  const client = new HubClient({ baseUrl: hub, clientId: '1001', clientSecret: 'a secret', logger: false });
  const running = client.poller().on('CREATED', () => {});
  let left = polls;
  const polled = new Promise<void>((resolve) => {
    running.on('polled', () => {
      left -= 1;
      if (left === 0) resolve();
    });
  });
  await running.start();
  await polled;
}
