import { drawOf } from '../../src/testing/random.js';

/** How much is measured: `full` for figures, `quick` to see that everything runs. */
export type Effort = 'full' | 'quick';

/** A line of a table; the ratios are to the first line, the floor. */
export interface Row {
  readonly name: string;
  readonly median: number;
  readonly ratio: number;
  /** Of the process's CPU time, all threads: what other processes do shows less in it. */
  readonly cpuRatio?: number;
}

export interface Table {
  readonly title: string;
  /** Of the medians: `ms`, `KB`. */
  readonly unit: string;
  readonly rows: readonly Row[];
}

/** One goal of the performance plan; `bench` of a file named after it (`p1-….ts`). */
export interface Bench {
  readonly title: string;
  readonly goal: string;
  /** Each as soon as it is measured. */
  tables(effort: Effort): AsyncIterable<Table>;
}

/** One of those that stand side by side; the first of them is the floor. */
export interface Contender {
  readonly name: string;
  /** What is measured; what it gives is held until the next is there, as a client holds its copy. */
  run(): unknown;
}

export interface Rounds {
  readonly rounds: number;
  /** Rounds before the first one that counts. */
  readonly warmUp: number;
  /** A full collection before every turn, which is then a single run. */
  readonly afterCollection?: boolean;
}

/** Turns shorter than this are told apart by nothing but chance. */
const SHORTEST_TURN_MS = 2;

/**
 * Measures in rounds, in which each has a turn, so that what else the machine
 * does meets all of them alike: a ratio is the median of the rounds' ratios.
 */
export async function sideBySide(contenders: readonly Contender[], options: Rounds): Promise<Row[]> {
  const { rounds, warmUp, afterCollection = false } = options;
  const runs = contenders.map(() => 1);
  const taken: Taken[][] = contenders.map(() => []);
  const held: unknown[] = [];
  for (let round = -warmUp; round < rounds; round += 1) {
    for (const index of turnsOf(round, contenders.length)) {
      const { run } = contenders[index] as Contender;
      const count = runs[index] as number;
      if (afterCollection) collect();
      const cpu = process.cpuUsage();
      const startedAt = performance.now();
      for (let each = 0; each < count; each += 1) {
        const result = run();
        held[index] = result instanceof Promise ? await result : result;
      }
      const wallMs = (performance.now() - startedAt) / count;
      const { user, system } = process.cpuUsage(cpu);
      if (round >= 0) taken[index]?.push({ wallMs, cpuMs: (user + system) / 1000 / count });
      else if (!afterCollection) runs[index] = Math.max(count, Math.ceil(SHORTEST_TURN_MS / wallMs));
    }
  }
  const ratioOf = (index: number, kind: keyof Taken) =>
    medianOf((taken[index] ?? []).map((own, round) => own[kind] / (taken[0]?.[round]?.[kind] as number)));
  return contenders.map(({ name }, index) => ({
    name,
    median: medianOf((taken[index] ?? []).map(({ wallMs }) => wallMs)),
    ratio: ratioOf(index, 'wallMs'),
    cpuRatio: ratioOf(index, 'cpuMs'),
  }));
}

interface Taken {
  readonly wallMs: number;
  readonly cpuMs: number;
}

/** Who comes when: in another order each round, the same ones for every run of the bench. */
function turnsOf(round: number, count: number): number[] {
  const places = Array.from({ length: count }, (_, index) => ({
    index,
    place: drawOf('turns', round, index),
  }));
  return places.sort((one, other) => one.place - other.place).map(({ index }) => index);
}

/** Bytes that each call leaves on the heap, or as garbage on it. */
export function bytesOf(calls: ReadonlyArray<() => unknown>): number {
  collect();
  const before = process.memoryUsage().heapUsed;
  const held = calls.map((call) => call());
  return (process.memoryUsage().heapUsed - before) / held.length;
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
