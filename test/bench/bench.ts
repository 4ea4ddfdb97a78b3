import { drawOf } from '../../src/testing/random.js';

/** `full` for figures; `quick` only checks that everything runs. */
export type Effort = 'full' | 'quick';

/** A row of a table. Ratios compare with the first row, the baseline. */
export interface Row {
  readonly name: string;
  readonly median: number;
  readonly ratio: number;
  /** Ratio of the process's CPU time, over all threads: other processes affect it less. */
  readonly cpuRatio?: number;
}

export interface Table {
  readonly title: string;
  /** Unit of the medians: `ms` or `kB`. */
  readonly unit: string;
  readonly rows: readonly Row[];
}

/** One goal of the performance plan: the export `bench` of the file named after it (`p1-….ts`). */
export interface Bench {
  readonly title: string;
  readonly goal: string;
  /** Yields each table as soon as it is measured. */
  tables(effort: Effort): AsyncIterable<Table>;
}

/** One of the implementations to compare. The first is the baseline. */
export interface Contender {
  readonly name: string;
  /** The work to measure. Its result is kept until the next one, as a client keeps its copy. */
  run(): unknown;
}

export interface Rounds {
  readonly rounds: number;
  /** Rounds before the first measured one. */
  readonly warmUp: number;
  /** Runs a full garbage collection before every turn, which is then a single run. */
  readonly afterCollection?: boolean;
}

/** Shorter turns measure only noise. */
const MIN_TURN_MS = 2;

/**
 * Measures in rounds in which each contender has one turn, so that other load
 * of the machine affects all of them equally. A ratio is the median of the
 * ratios of all rounds.
 */
export async function sideBySide(contenders: readonly Contender[], options: Rounds): Promise<Row[]> {
  const { rounds, warmUp, afterCollection = false } = options;
  const runs = contenders.map(() => 1);
  const timings: Timing[][] = contenders.map(() => []);
  const results: unknown[] = [];
  for (let round = -warmUp; round < rounds; round += 1) {
    for (const index of turnsOf(round, contenders.length)) {
      const { run } = contenders[index] as Contender;
      const count = runs[index] as number;
      if (afterCollection) collect();
      const cpu = process.cpuUsage();
      const startedAt = performance.now();
      for (let each = 0; each < count; each += 1) {
        const result = run();
        results[index] = result instanceof Promise ? await result : result;
      }
      const wallMs = (performance.now() - startedAt) / count;
      const { user, system } = process.cpuUsage(cpu);
      if (round >= 0) timings[index]?.push({ wallMs, cpuMs: (user + system) / 1000 / count });
      else if (!afterCollection) runs[index] = Math.max(count, Math.ceil(MIN_TURN_MS / wallMs));
    }
  }
  const ratioOf = (index: number, kind: keyof Timing) =>
    medianOf((timings[index] ?? []).map((own, round) => own[kind] / (timings[0]?.[round]?.[kind] as number)));
  return contenders.map(({ name }, index) => ({
    name,
    median: medianOf((timings[index] ?? []).map(({ wallMs }) => wallMs)),
    ratio: ratioOf(index, 'wallMs'),
    cpuRatio: ratioOf(index, 'cpuMs'),
  }));
}

interface Timing {
  readonly wallMs: number;
  readonly cpuMs: number;
}

/** The order of the contenders in a round: another one each round, the same in every run of the bench. */
function turnsOf(round: number, count: number): number[] {
  const places = Array.from({ length: count }, (_, index) => ({
    index,
    place: drawOf('turns', round, index),
  }));
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

export function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}
