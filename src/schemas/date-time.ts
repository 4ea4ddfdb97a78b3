const DATE_TIME = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?) ?(Z|[+-]\d{2}:?\d{2})?$/i;

/**
 * The instant of a date-time in epoch ms. One without a zone is read as UTC, so that two machines agree. Some hubs
 * send the year 1 or the like for a missing time.
 */
export function instantOf(dateTime: unknown): number | undefined {
  const [, date, time, zone = 'Z'] = (typeof dateTime === 'string' && DATE_TIME.exec(dateTime)) || [];
  const at = Date.parse(`${date}T${time}${zone.replace(/(\d{2}):?(\d{2})$/, '$1:$2')}`);
  return at > 0 ? at : undefined;
}
