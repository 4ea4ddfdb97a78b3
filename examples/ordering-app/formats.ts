import type { Money } from 'opendelivery-client';

const LOCALE = 'pt-BR';

/** By currency: to make a format takes a hundred times as long as to use it. */
const formats = new Map<string, Intl.NumberFormat>();

/** An amount in its own currency, such as `R$ 70,50`; empty if the hub sent none. */
export function money(amount: Money | undefined): string {
  if (!amount) return '';
  const { value, currency } = amount;
  // A hub may send a currency that does not exist. The amount is shown all the same.
  if (!/^[A-Za-z]{3}$/.test(currency)) return `${value.toFixed(2)} ${currency}`;
  let format = formats.get(currency);
  if (!format) {
    format = new Intl.NumberFormat(LOCALE, { style: 'currency', currency });
    formats.set(currency, format);
  }
  return format.format(value);
}

/** The local time of day; empty if the hub's date is invalid. */
export function time(at: string | number | undefined): string {
  const date = new Date(at ?? Number.NaN);
  return Number.isNaN(date.getTime()) ? '' : date.toLocaleTimeString(LOCALE);
}

/** The local day and time; empty if the hub's date is invalid. */
export function dayAndTime(at: string | undefined): string {
  const date = new Date(at ?? Number.NaN);
  if (Number.isNaN(date.getTime())) return '';
  return date.toLocaleString(LOCALE, {
    day: '2-digit',
    month: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  });
}

/** The local day and time to the second, for the history of an order. */
export const dayAndSecond = (at: string): string =>
  new Date(at).toLocaleString(LOCALE, {
    day: '2-digit',
    month: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  });

/** A duration in whole minutes, such as `1 h 05 min`. */
export function duration(ms: number): string {
  const minutes = Math.max(0, Math.floor(ms / 60_000));
  if (minutes < 1) return 'menos de 1 min';
  if (minutes < 60) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} min`;
}
