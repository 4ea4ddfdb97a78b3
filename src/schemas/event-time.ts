const DATE_TIME = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?) ?(Z|[+-]\d{2}:?\d{2})?$/i;

/**
 * The time in epoch ms. A time without a zone is read as UTC, so that two machines agree. Some hubs send the year 1
 * or the like for a missing time.
 */
export function eventTime(createdAt: unknown): number | undefined {
  const [, date, time, zone = 'Z'] = (typeof createdAt === 'string' && DATE_TIME.exec(createdAt)) || [];
  const at = Date.parse(`${date}T${time}${zone.replace(/(\d{2}):?(\d{2})$/, '$1:$2')}`);
  return at > 0 ? at : undefined;
}
