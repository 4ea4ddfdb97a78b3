import { HubClient, type HubClientOptions, type PollResult } from 'opendelivery-client';
import { ManualClock } from 'opendelivery-client/testing';

const TOKEN = { access_token: 'a-token', token_type: 'bearer', expires_in: 604_800 };

/** What a new client makes of a hub that answers with this response, and any token request with a token. */
export async function answered<Result>(
  call: (hub: HubClient) => Promise<Result>,
  response: () => Response,
  options: Partial<HubClientOptions> = {},
): Promise<Result> {
  const hub = new HubClient({
    baseUrl: 'https://hub.example',
    clientId: '1001',
    clientSecret: 'mock-client-secret',
    apiKey: 'mock-api-key',
    clock: new ManualClock(),
    logger: false,
    retry: { attempts: 1 },
    fetch: async (url) => (String(url).endsWith('/oauth/token') ? Response.json(TOKEN) : response()),
    ...options,
  });
  try {
    return await call(hub);
  } finally {
    await hub.close();
  }
}

/** The poll that gets this body. */
export const polled = (body: string, init?: ResponseInit): Promise<PollResult> =>
  answered(
    (hub) => hub.events.poll(),
    () => new Response(body, init),
  );
