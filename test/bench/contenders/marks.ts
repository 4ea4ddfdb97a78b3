import { randomUUID } from 'node:crypto';
import type { Clock } from 'opendelivery-client';
import { importHub } from '../packages.js';
import { usedBytes } from '../turns.js';
import type { Turns } from './main.js';

export interface MarksInput {
  /** How many ids are known when the measurement begins; as many remain known. */
  readonly known: number;
}

const BATCH = 1000;
const DAY_MS = 86_400_000;
const KEY = 'events:bench';

/** From JSON, as the ids of a poll: one flat string each. A new UUID of Node is a tree of twenty strings. */
const newIds = (): string[] =>
  JSON.parse(JSON.stringify(Array.from({ length: BATCH }, () => randomUUID()))) as string[];

class SteppingClock implements Clock {
  #ms = 0;
  now = () => 1_767_614_400_000 + this.#ms;
  monotonic = () => this.#ms;
  sleep = () => new Promise<void>(() => {});
  step(ms: number): void {
    this.#ms += ms;
  }
}

/** A state in which every batch of ids is forgotten when `known` newer ones have come. */
async function filled(known: number) {
  const { memoryState } = await importHub();
  const clock = new SteppingClock();
  const state = memoryState();
  // They are forgotten after a day, as in a client.
  const batchMs = DAY_MS / (known / BATCH);
  const remember = async (ids: readonly string[]) => {
    clock.step(batchMs);
    // As the poller does: are they known, and if not, they are handled now.
    await state.recall(KEY, ids, { handledMs: DAY_MS, attemptedMs: DAY_MS }, clock);
    await state.mark(KEY, ids, { handled: true, forMs: DAY_MS }, clock);
  };
  for (let count = 0; count < known; count += BATCH) await remember(newIds());
  return { state, remember };
}

/** A turn is a batch of new ids, while the oldest batch is forgotten. */
export async function remembering({ known }: MarksInput): Promise<Turns> {
  const { remember } = await filled(known);
  // One cycle of an expiry beforehand: the batches that were known at first are the smallest.
  for (let batch = 0; batch < 100; batch += 1) await remember(newIds());
  let ids: string[] = [];
  return {
    prepare: () => {
      ids = newIds();
    },
    run: () => remember(ids),
  };
}

/** Bytes for each known id. */
export async function bytesPerId({ known }: MarksInput): Promise<number> {
  await filled(BATCH);
  const before = usedBytes();
  const { state } = await filled(known);
  const bytes = (usedBytes() - before) / known;
  return state ? bytes : Number.NaN;
}

export function bytesPerStringInSet({ known }: MarksInput): number {
  const before = usedBytes();
  const ids = new Set<string>();
  while (ids.size < known) for (const id of newIds()) ids.add(id);
  const bytes = (usedBytes() - before) / known;
  return ids.size >= known ? bytes : Number.NaN;
}
