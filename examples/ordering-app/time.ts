/** The local time of day; empty if the hub's date is invalid. */
export function time(at: string | number | undefined): string {
  const date = new Date(at ?? Number.NaN);
  return Number.isNaN(date.getTime()) ? '' : date.toLocaleTimeString('en-GB');
}
