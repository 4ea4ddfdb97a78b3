import { language } from './texts.js';

const two = (value: number) => String(value).padStart(2, '0');

/** Such as `19:04:05`, in the time zone of the person. */
export function timeOfDay(at: number): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return '–';
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

export const day = (at: number): string =>
  new Date(at).toLocaleDateString(language(), { weekday: 'short', day: 'numeric', month: 'short' });

/** Such as `350 ms`, `12 s`, `4 min 05 s`, `25 min`, `2 h 10 min` or `6 d 23 h`. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  const seconds = Math.floor(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 10) return `${minutes} min ${two(seconds % 60)} s`;
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return `${hours} h ${two(minutes % 60)} min`;
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** A length that somebody has set, such as `1 h`, `90 min` or `45 s`. */
export function period(ms: number): string {
  if (ms % 3_600_000 === 0) return `${ms / 3_600_000} h`;
  return ms % 60_000 === 0 ? `${ms / 60_000} min` : `${ms / 1000} s`;
}

export function money(value: number | undefined, currency: string): string {
  if (value === undefined) return '–';
  try {
    return value.toLocaleString(language(), { style: 'currency', currency });
  } catch {
    return `${value} ${currency}`;
  }
}
