import { Redis } from 'ioredis';
import { fileState, type State } from 'opendelivery-client';
import { redisState } from 'opendelivery-client/redis';
import { postgresState } from 'opendelivery-client/sql';
import { Pool } from 'pg';
import type { PostgresServer } from '../state/postgres/start.js';
import { scaledState } from './shared-clock.js';

/** Where a process of the test keeps its state. */
export type StatePlace =
  | { readonly kind: 'file'; readonly directory: string }
  | { readonly kind: 'redis'; readonly socketPath: string; readonly prefix?: string }
  | { readonly kind: 'postgres'; readonly address: PostgresServer['address'] };

/** The state of a place, and how to close it. */
export function openState(place: StatePlace, factor: number): { state: State; close: () => Promise<void> } {
  if (place.kind === 'file') {
    const state = fileState(place.directory);
    return { state, close: () => state.close() };
  }
  if (place.kind === 'postgres') {
    const pool = new Pool({ ...place.address, max: 4 });
    pool.on('error', () => {});
    return { state: scaledState(postgresState(pool), factor), close: () => pool.end() };
  }
  const client = new Redis(place.socketPath);
  client.on('error', () => {});
  return {
    state: scaledState(
      redisState(client, place.prefix === undefined ? {} : { prefix: place.prefix }),
      factor,
    ),
    close: async () => client.disconnect(),
  };
}
