import { type Row, reachesGoal, type Table } from './bench.js';

/** A table as text: a line for each row, with its median, its ratio and whether it reaches its goal. */
export function printed({ title, unit, rows }: Table): string {
  const width = Math.max(...rows.map(({ name }) => name.length));
  return [`\n  ${title}`, ...rows.map((row) => `  ${row.name.padEnd(width)}${figuresOf(row, unit)}`)].join(
    '\n',
  );
}

function figuresOf(row: Row, unit: string): string {
  const { median, ratio, note, goal } = row;
  const figures: string[] = [];
  if (median !== undefined) figures.push(`${median.toFixed(3).padStart(10)} ${unit}`.trimEnd());
  if (ratio !== undefined) figures.push(`${ratio.toFixed(2).padStart(6)}x`);
  const isReached = reachesGoal(row);
  if (isReached !== undefined) {
    const limits = [
      ...(goal?.median === undefined ? [] : [`${goal.median} ${unit}`.trimEnd()]),
      ...(goal?.ratio === undefined ? [] : [`${goal.ratio.toFixed(2)}x`]),
    ];
    figures.push(`${isReached ? 'reaches' : 'MISSES'} the goal of ${limits.join(' and ')}`);
  }
  if (note !== undefined) figures.push(`  ${note}`);
  return figures.join('  ');
}
