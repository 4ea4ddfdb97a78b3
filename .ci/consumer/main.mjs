import * as client from 'opendelivery-client';
import * as redis from 'opendelivery-client/redis';
import * as testing from 'opendelivery-client/testing';
import { flow, state } from './flow.cjs';

await flow(client, testing);
await state(client, redis);
