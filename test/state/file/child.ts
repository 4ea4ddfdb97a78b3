/** A process with a state. Each line on stdin is an order, as JSON; it answers each with a line. */
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type FileState, fileState, type State } from 'opendelivery-client';
import { ManualClock } from 'opendelivery-client/testing';
import { findDriver } from '../../../src/state/sqlite/driver.js';

const directory = process.argv[2] ?? '';
// Time does not move: what one process keeps has not expired in the next one.
const clock = new ManualClock('2026-01-05T12:00:00Z');

let state: FileState | undefined;

/** Writes to a pipe are synchronous, so a line that was read reports something that was done. */
const say = (line: unknown) => void process.stdout.write(`${JSON.stringify(line ?? null)}\n`);

const ORDERS: Readonly<Record<string, (...parameters: never[]) => unknown>> = {
  open: () => {
    state = fileState(directory);
  },
  close: () => state?.close(),
  call: (method: keyof State, ...parameters: unknown[]) =>
    (Reflect.get(state ?? {}, method) as (...all: unknown[]) => unknown).call(state, ...parameters, clock),
  /** Begins a transaction that writes, on a connection of its own, and leaves it open. */
  lock: () => void findDriver().open(join(directory, 'state.db')).exec('BEGIN IMMEDIATE'),
  /** Marks twenty events again and again, four times at once, and says which. */
  write: (seed: number) => Promise.all([0, 1, 2, 3].map((number) => write(`${seed}-${number}`))),
  /** As many slots as it gets in that many calls. */
  reserve: async (calls: number) => {
    const slots: string[] = [];
    for (let call = 0; call < calls; call += 1) {
      const slot = await state?.reserve('quota:s:token', { limit: 10, holdMs: 3_600_000 }, clock);
      if (slot?.granted) slots.push(slot.id);
    }
    return slots;
  },
};

async function write(name: string): Promise<void> {
  for (let round = 0; ; round += 1) {
    const ids = Array.from({ length: 20 }, (_, index) => `${name}-${round}-${index}-${'x'.repeat(200)}`);
    await state?.mark('events:s', ids, { handled: true, forMs: 86_400_000 }, clock);
    await state?.set(`value:${name}`, String(round), { forMs: 86_400_000 }, clock);
    say({ ids: [ids[0], ids.at(-1)], name, round });
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const [order = '', ...parameters] = JSON.parse(line) as [string, ...never[]];
  try {
    say({ result: await ORDERS[order]?.(...parameters) });
  } catch (error) {
    say({ error: (error as Error).message });
  }
}
process.exit(0);
