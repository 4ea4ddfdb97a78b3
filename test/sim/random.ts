/** Pseudorandom numbers of at least 0 and less than 1: mulberry32. */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A latency in ms: log-normal, as latencies of services are. `spread` 0.7: the slowest hundredth takes five times the median. */
export interface Latency {
  readonly medianMs: number;
  readonly spread: number;
}

export function latencyOf({ medianMs, spread }: Latency, random: () => number): number {
  const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return medianMs * Math.exp(spread * normal);
}
