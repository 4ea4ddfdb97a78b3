import { setupServer } from 'msw/node';
import * as client from 'opendelivery-client';
import * as testing from 'opendelivery-client/testing';
import * as undici from 'undici-of-the-app';
import { mocks } from './flow.cjs';

await mocks(client, testing, { setupServer }, undici);
