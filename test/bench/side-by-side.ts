import { medianOf, type Row } from './bench.js';
import { collect, type Timing, timed, turnsOf } from './turns.js';

/** One of the implementations to compare, in this process. The first is the baseline. */
export interface Contender extends Pick<Row, 'name' | 'goal'> {
  /** The work to measure, synchronous. Its result is kept until the next one, as a client keeps its copy. */
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
 * Measures CPU time in rounds in which each contender has one turn, so that other load
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
      const { wallMs, cpuMs } = await timed(() => {
        for (let each = 0; each < count; each += 1) results[index] = run();
      });
      if (round >= 0) timings[index]?.push({ wallMs: wallMs / count, cpuMs: cpuMs / count });
      else if (!afterCollection) runs[index] = Math.max(count, Math.ceil((MIN_TURN_MS * count) / cpuMs));
    }
  }
  return contenders.map(({ name, goal }, index) => ({
    name,
    median: medianOf((timings[index] ?? []).map(({ cpuMs }) => cpuMs)),
    ratio: medianRatio(timings, index, 'cpuMs'),
    ...(goal && { goal }),
  }));
}

/** The median, over all rounds, of the ratio of one contender's time to the first one's. */
export function medianRatio(
  timings: ReadonlyArray<readonly Timing[]>,
  index: number,
  kind: keyof Timing,
): number {
  const floors = timings[0] ?? [];
  return medianOf(
    (timings[index] ?? []).map((own, round) => own[kind] / (floors[round]?.[kind] ?? Number.NaN)),
  );
}
