import { Cluster, type ClusterOptions } from './cluster.js';

/** A first poll needs a token too, and what was late in the start is spread again. */
const SETTLE_MS = 125_000;

/** A setup breaks when more than this share of its polls is more than a second late. */
const MAX_LATE_SHARE = 0.01;

export interface BreakingPoint {
  readonly title: string;
  /** The largest number of stores that works, and the smallest that does not, as far as it was searched. */
  readonly works: number;
  readonly breaks: number;
}

/** The share of the polls that are more than a second late, in a minute after the start is over. */
async function lateShare(options: Partial<ClusterOptions>): Promise<number> {
  const cluster = new Cluster(options);
  cluster.startAll();
  await cluster.run(SETTLE_MS);
  cluster.beginPart('measured');
  await cluster.run(60_000);
  const [{ late, gaps }] = cluster.end() as [ReturnType<Cluster['end']>[number]];
  // A store whose second poll has not come by now has none that could be late.
  const missing = (options.stores as number) * 2 - gaps.count;
  return late.count === 0 ? 1 : Math.max(late.countOver(1000) / late.count, missing / gaps.count - 0.05);
}

/**
 * Doubles what `optionsOf` makes of a number until it breaks, and then halves the interval twice.
 *
 * @param storesOf - how many stores a number means.
 */
export async function breakingPoint(
  title: string,
  first: number,
  optionsOf: (number: number) => Partial<ClusterOptions>,
  storesOf = (number: number) => number,
): Promise<BreakingPoint> {
  let works = 0;
  let breaks = first;
  while ((await lateShare(optionsOf(breaks))) <= MAX_LATE_SHARE) {
    works = breaks;
    breaks *= 2;
  }
  for (let step = 0; step < 2 && works > 0; step += 1) {
    const middle = (works + breaks) / 2;
    if ((await lateShare(optionsOf(middle))) <= MAX_LATE_SHARE) works = middle;
    else breaks = middle;
  }
  return { title, works: storesOf(works), breaks: storesOf(breaks) };
}

/** What runs out first, with everything else as it is. */
export function breakingPoints(): (() => Promise<BreakingPoint>)[] {
  const quiet = { processes: 1, ordersPerDay: 0 };
  return [
    () =>
      breakingPoint('16 requests in flight, hub 0.1 s', 3000, (stores) => ({
        ...quiet,
        stores,
        requestsInFlight: 16,
      })),
    () =>
      breakingPoint('64 requests in flight, hub 0.5 s', 2000, (stores) => ({
        ...quiet,
        stores,
        hub: { medianMs: 400, spread: 0.7 },
      })),
    () =>
      breakingPoint('64 requests in flight, hub 1 s', 1000, (stores) => ({
        ...quiet,
        stores,
        hub: { medianMs: 800, spread: 0.7 },
      })),
    () =>
      // A hundred times the CPU time, and a hundredth of the stores.
      breakingPoint(
        'CPU of one process, any number of requests in flight',
        400,
        (stores) => ({
          ...quiet,
          stores,
          requestsInFlight: 100_000,
          requestMs: 15,
          redisClientMs: 3,
        }),
        (stores) => stores * 100,
      ),
    () =>
      breakingPoint(
        'Redis, processes of 2,500 stores each',
        50,
        (scale) => ({ ...quiet, stores: 2500, processes: 1, scale }),
        (scale) => scale * 2500,
      ),
  ];
}
