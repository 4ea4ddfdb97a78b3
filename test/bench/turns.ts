import { randomOf } from '../sim/random.js';

export interface Timing {
  readonly wallMs: number;
  readonly cpuMs: number;
}

/** Measures work. CPU time is that of the process, over all threads: the garbage collector's too. */
export async function timed(work: () => unknown): Promise<Timing> {
  const cpu = process.cpuUsage();
  const startedAt = performance.now();
  const result = work();
  // An `await` of a synchronous result would cost more than some of the work.
  if (result instanceof Promise) await result;
  const wallMs = performance.now() - startedAt;
  const { user, system } = process.cpuUsage(cpu);
  return { wallMs, cpuMs: (user + system) / 1000 };
}

/** The order of the contenders in a round: another one each round, the same in every run of the bench. */
export function turnsOf(round: number, count: number): number[] {
  const random = randomOf(round);
  const places = Array.from({ length: count }, (_, index) => ({ index, place: random() }));
  return places.sort((one, other) => one.place - other.place).map(({ index }) => index);
}

/** Bytes that each call allocates on the heap, garbage included. */
export function bytesOf(calls: ReadonlyArray<() => unknown>): number {
  collect();
  const before = process.memoryUsage().heapUsed;
  const results = calls.map((call) => call());
  return (process.memoryUsage().heapUsed - before) / results.length;
}

export function collect(): void {
  if (!globalThis.gc) throw new Error('run node with --expose-gc');
  globalThis.gc();
}

/** Bytes in use after a full garbage collection, with those of array buffers. */
export function usedBytes(): number {
  collect();
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
