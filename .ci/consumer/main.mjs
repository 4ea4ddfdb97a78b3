import * as client from 'opendelivery-client';
import { food99 } from 'opendelivery-client/hosts';
import * as redis from 'opendelivery-client/redis';
import * as schemas from 'opendelivery-client/schemas';
import * as sql from 'opendelivery-client/sql';
import * as testing from 'opendelivery-client/testing';
import { flow, host, state } from './flow.cjs';

await flow(client, schemas, testing);
await host(client, testing, food99);
await state(client, redis, sql);
