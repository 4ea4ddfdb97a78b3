import { HubFleet } from 'opendelivery-client';
import { ManualClock } from 'opendelivery-client/testing';
import { expect, it } from 'vitest';
import { rawServer } from '../http/support.js';
import { caught, stores } from './support.js';

const TOKEN = '{"access_token":"a-token","token_type":"bearer","expires_in":604800}';

// A connection that is left open ends by itself after a minute.
it('a fleet that was stopped has no open connection, and opens another one when it starts again', async () => {
  const server = await rawServer((response, { method }) => {
    if (method === 'POST') response.end(TOKEN);
    else response.writeHead(204).end();
  });
  const clock = new ManualClock();
  const fleet = new HubFleet({ baseUrl: server.url, stores: stores(2), clock, logger: false });
  fleet.on('event', () => {});
  for (let count = 0; count < 2; count += 1) {
    const seen = server.requests.length;
    void caught(fleet.start());
    // The HTTP client is loaded in real time.
    while (fleet.health().polling < 2) await new Promise(setImmediate);
    await clock.advance('31s');
    await fleet.stop();
    expect(server.requests.length).toBeGreaterThan(seen);
    await Promise.all(server.requests.map(({ closed }) => closed));
  }
}, 15_000);
