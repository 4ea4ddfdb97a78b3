import type { View } from './changes.js';
import type { RehearsalItemRow } from './wire.js';

/** A rehearsal that is played at a mock hub, as its console shows it. */
export interface Rehearsal {
  /** What is rehearsed. */
  readonly title: string;
  /** In the sequence of the script. */
  readonly items: readonly RehearsalItem[];
  /** What a person has to do or answer now. */
  readonly tasks: readonly RehearsalTask[];
  /** A person has answered a question. Without effect if it is not open any more. */
  answer(id: number, yes: boolean): void;
}

/** One item of a rehearsal. */
export interface RehearsalItem {
  /** Its number in the host's list. */
  readonly id: string;
  /** In the words of the host. */
  readonly title: string;
  /** Its result, or that it has none yet. */
  readonly state: 'waiting' | 'playing' | 'passed' | 'failed' | 'not seen';
  /** What was seen so far, one line each. */
  readonly evidence: readonly string[];
}

/** What a person has to do, or to answer. */
export interface RehearsalTask {
  /** For `answer`. */
  readonly id: number;
  /** One sentence. */
  readonly text: string;
  /** Whether the answer is yes or no. */
  readonly isQuestion: boolean;
}

/** How many items have ended, and how many there are. */
export const countOf = ({ items }: Rehearsal) => ({
  ended: items.filter(({ state }) => state !== 'waiting' && state !== 'playing').length,
  total: items.length,
});

export function rehearsalView(rehearsal: Rehearsal | undefined): View {
  if (!rehearsal) return { rows: [], about: { total: 0 } };
  const { title, items, tasks } = rehearsal;
  const rows = items.map((item, index): RehearsalItemRow => ({ ...item, key: item.id, rank: -index }));
  return { rows, about: { total: rows.length, title, tasks } };
}
