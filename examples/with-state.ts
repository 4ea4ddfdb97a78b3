import { fileState, HubClient } from 'opendelivery-client';

const state = fileState('./hub-state'); // a directory on a local disk
await using hub = HubClient.fromEnv({ state });
const { expiresAt } = await hub.auth.getToken(); // one request in 7 days, also across restarts
console.log(`the token is valid until ${new Date(expiresAt).toISOString()}`);
