/** Milliseconds, or a string such as `'250ms'`, `'30s'`, `'1h30m'` or `'7d'`. */
export type Duration = number | string;

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** @throws {TypeError} the value is not a duration. */
export function durationMs(duration: Duration): number {
  if (typeof duration === 'number' && duration >= 0 && Number.isFinite(duration)) return duration;
  const text = String(duration).replaceAll(' ', '');
  if (!/^(?:\d+(?:\.\d+)?(?:ms|[smhd]))+$/.test(text)) {
    throw new TypeError(`${JSON.stringify(duration)} is not a duration; write 250, '30s', '1h30m' or '7d'`);
  }
  let ms = 0;
  for (const [, count, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|[smhd])/g)) {
    ms += Number(count) * (UNIT_MS[unit as string] as number);
  }
  return ms;
}
