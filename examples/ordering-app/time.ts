/** The time of day where the store is; nothing where the hub's date cannot be read. */
export function time(at: string | number | undefined): string {
  const date = new Date(at ?? Number.NaN);
  return Number.isNaN(date.getTime()) ? '' : date.toLocaleTimeString('en-GB');
}
