import { randomUUID } from 'node:crypto';

const KINDS = [
  'merchant',
  'service',
  'area',
  'hours',
  'menu',
  'category',
  'offer',
  'item',
  'group',
  'option',
  'availability',
  'customer',
] as const;

/** A UUID that is the same in every run, so that a test can name it. */
export function fixtureId(kind: (typeof KINDS)[number], number: number): string {
  const first = (KINDS.indexOf(kind) + 1).toString(16).padStart(8, '0');
  return `${first}-0000-4000-8000-${number.toString(16).padStart(12, '0')}`;
}

/** Returns a function that creates UUIDs in ascending order. Two sequences never share an id. */
export function idSequence(): () => string {
  const prefix = randomUUID().slice(0, 8);
  let count = 0;
  return () => {
    count += 1;
    return `${prefix}-0000-4000-8000-${count.toString(16).padStart(12, '0')}`;
  };
}
