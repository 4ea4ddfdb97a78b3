import { fileState, HubClient } from 'opendelivery-client';

const state = fileState('./hub-state'); // a directory of its own, on a disk of this machine
await using hub = HubClient.fromEnv({ state });
const { expiresAt } = await hub.auth.getToken(); // asked for once in 7 days, restarts or not
console.log(`the token is good until ${new Date(expiresAt).toISOString()}`);
