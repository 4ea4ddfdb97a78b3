import type { FleetStore } from 'opendelivery-client';

const FIRST_CLIENT_ID = 1000;

/** The stores of every process of a test. */
export const storesOf = (count: number): FleetStore[] =>
  Array.from({ length: count }, (_, index) => ({
    storeId: `store-${index}`,
    clientId: String(FIRST_CLIENT_ID + index),
    clientSecret: `secret-of-store-${index}`,
  }));

export const storeIdOf = (clientId: string): string => `store-${Number(clientId) - FIRST_CLIENT_ID}`;
