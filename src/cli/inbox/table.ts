import type { Terminal } from '../terminal.js';

/** Writes rows as columns with two spaces between them, without wrapping: ids are copied. */
export async function writeTable(terminal: Terminal, rows: readonly (readonly string[])[]): Promise<void> {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  for (const row of rows) {
    const cells = row.map((cell, column) => cell.padEnd(widths[column] as number));
    await terminal.unwrapped(cells.join('  ').trimEnd());
  }
}
