import { formatCount } from '../../format.js';
import { type ChangedCheck, type Comparison, newLines } from './compare.js';

/** Sentences of one check that are shown; the JSON document has all. */
const MAX_LINES = 3;

/** What is known of a hub since the baseline: `unknown` if an endpoint could not be examined, and no change was seen. */
export type Since = 'changed' | 'same' | 'unknown';

export function sinceBaseline({ changes, unchanged, failed }: Comparison): Since {
  if (changes.length > 0) return 'changed';
  return failed.length > 0 || unchanged === 0 ? 'unknown' : 'same';
}

/** What else there is to say of a comparison, besides its changes. */
export function describeRest(comparison: Comparison): readonly string[] {
  const { unchanged, notCompared, failed } = comparison;
  const since = sinceBaseline(comparison);
  const others = notCompared.filter(({ why }) => !why.startsWith('not seen'));
  return [
    ...(since === 'unknown' ? ['it is not known whether this hub has changed'] : []),
    ...(failed.length > 0 ? [`could not be examined now: ${failed.join(', ')}`] : []),
    `${formatCount(unchanged, 'check')} without a change, ${notCompared.length} not compared`,
    ...others.filter(({ why }) => !why.startsWith('its endpoint')).map(({ id, why }) => `  ${id}: ${why}`),
  ];
}

/** One change: what the hub did before, and what it does now. */
export function describeChange({ id, title, before, after }: ChangedCheck): string {
  const [lost, found] = [newLines(after, before), newLines(before, after)];
  const was = shortened(lost.length > 0 ? lost : before.hub, ', ');
  const is = shortened(found.length > 0 ? found : after.hub, ', ');
  return `${title} (${id}): was: ${was}; now: ${is}`;
}

/** The first sentences of a check, and how many more there are. */
export function shortened(lines: readonly string[], separator: string): string {
  const more = lines.length - MAX_LINES;
  return [...lines.slice(0, MAX_LINES), ...(more > 0 ? [`and ${more} more`] : [])].join(separator);
}
