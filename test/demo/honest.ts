import { HubClient } from 'opendelivery-client';
import { main } from '../../examples/poller.js';

await main(HubClient, 1500);
