/** Code for Cloudflare Workers. It is compiled, and never run. */
import { fileState, HubClient, memoryState } from 'opendelivery-client';

export const hub: HubClient = new HubClient({ baseUrl: 'https://hub.example', state: memoryState() });
export const impossible = (): never => fileState('./state');
