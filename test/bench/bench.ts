/** `full` for figures; `quick` only checks that everything runs. */
export type Effort = 'full' | 'quick';

/** A row of a table. Ratios compare with the first row, the baseline. */
export interface Row {
  readonly name: string;
  /** In the unit of the table. Absent: not measured, and `note` says why. */
  readonly median?: number;
  readonly ratio?: number;
  /** The goal for this row. */
  readonly goal?: Limit;
  readonly note?: string;
}

/** A row may be at most this: `median` in the unit of the table, `ratio` to the first row. */
export interface Limit {
  readonly median?: number;
  readonly ratio?: number;
}

export interface Table {
  readonly title: string;
  /** Unit of the medians, such as `ms`, `µs` or `kB`. */
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

/** The name of our rows, in every table. */
export const OURS = 'opendelivery-client';

/** Whether a row reaches its goal; undefined if it has none or was not measured. */
export function reachesGoal({ median, ratio, goal }: Row): boolean | undefined {
  if (!goal || median === undefined) return undefined;
  const isWithin = (value: number | undefined, limit: number | undefined) =>
    limit === undefined || (value !== undefined && value <= limit);
  return isWithin(median, goal.median) && isWithin(ratio, goal.ratio);
}

/** Rows of one measured value each, compared with the first. */
export function compared(rows: readonly Row[]): Row[] {
  const floor = rows[0]?.median;
  return rows.map((row) =>
    row.median === undefined || floor === undefined || floor === 0
      ? row
      : { ...row, ratio: row.median / floor },
  );
}

export function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}
