import * as client from 'opendelivery-client';
import * as testing from 'opendelivery-client/testing';
import { flow } from './flow.cjs';

await flow(client, testing);
