import * as client from 'opendelivery-client';
import * as redis from 'opendelivery-client/redis';
import * as schemas from 'opendelivery-client/schemas';
import * as sql from 'opendelivery-client/sql';
import * as testing from 'opendelivery-client/testing';
import { flow, state } from './flow.cjs';

await flow(client, schemas, testing);
await state(client, redis, sql);
