/**
 * Prints the line of a long test for the README: `kills with the state in files: kills 150, events 1,605`.
 *
 * @param figures - numbers by their names; what is nested is printed as JSON.
 */
export function printFigures(title: string, figures: Readonly<Record<string, unknown>>): void {
  const shown = Object.entries(figures).map(([name, value]) => `${name} ${textOf(value)}`);
  console.log(`${title}: ${shown.join(', ')}`);
}

const textOf = (value: unknown) =>
  typeof value === 'number'
    ? value.toLocaleString('en-US', { maximumFractionDigits: value < 1 ? 3 : 1 })
    : typeof value === 'object'
      ? JSON.stringify(value)
      : String(value);
