import type { FleetStore } from 'opendelivery-client';

/** The same in every process. In an application: a query of its database. */
export const stores: FleetStore[] = Array.from({ length: 200 }, (_, index) => ({
  storeId: `store-${index}`,
  clientId: String(1000 + index),
  clientSecret: `secret-of-store-${index}`,
}));

export const HUB_URL = process.env.HUB_URL ?? 'http://127.0.0.1:8790';
export const REDIS_URL = process.env.REDIS_URL ?? 'redis://127.0.0.1:6379';
