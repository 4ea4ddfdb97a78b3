// app/newEvent/route.ts
import { HubClient, PushRefusedError } from 'opendelivery-client';
import { enqueue } from './queue.js'; // your queue; of a file queue.ts, Next.js wants './queue'

export const runtime = 'nodejs'; // the edge runtime has no node:crypto

let hub: HubClient | undefined;

/** The hub calls it for each event. Do not read the request before: the signature covers its raw bytes. */
export async function POST(request: Request): Promise<Response> {
  hub ??= HubClient.fromEnv(); // not outside: `next build` loads this file without your environment
  try {
    // The same event may come again: enqueue by its eventId.
    for (const event of await hub.events.verify(request)) await enqueue(event.eventId, event);
    return new Response(null, { status: 200 }); // only now: after another status the hub sends it again
  } catch (error) {
    if (!(error instanceof PushRefusedError)) throw error;
    console.error(error.message);
    return new Response(null, { status: error.status });
  }
}
