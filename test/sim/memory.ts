import { usedBytes } from '../bench/turns.js';
import { Cluster } from './cluster.js';

/** Bytes of heap for each store of a fleet that has polled all of them; the token of 600 characters is a part of it. */
export async function bytesPerStore(stores: number): Promise<number> {
  const cluster = new Cluster({ stores, processes: 1, ordersPerDay: 0 });
  cluster.startAll();
  await cluster.run(65_000);
  const withFleet = usedBytes();
  cluster.kill(0);
  // Timers of the killed process still hold it until they are due.
  await cluster.run(120_000);
  return (withFleet - usedBytes()) / stores;
}
