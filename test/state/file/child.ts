/** A separate process that opens a directory: `hold` keeps it open until stdin ends, `write` writes to it until it is killed. */
import { createInterface } from 'node:readline';
import { type FileState, fileState } from '../../../src/state/file/file-state.js';
import { ManualClock } from '../../../src/testing/manual-clock.js';

const [mode = '', directory = '', seed = '0'] = process.argv.slice(2);

/** Writes to a pipe are synchronous, so a line that was read reports something that was done. */
const say = (line: string) => void process.stdout.write(`${line}\n`);

function open(): FileState | undefined {
  try {
    return fileState(directory);
  } catch (error) {
    say(`refused ${(error as { code?: string }).code} ${(error as Error).message}`);
    return undefined;
  }
}

async function write(state: FileState): Promise<void> {
  // Time does not move: a slot that was reserved before the kill is taken after it.
  const clock = new ManualClock('2026-01-05T12:00:00Z');
  const padding = 'x'.repeat(200);
  const worker = async (number: number) => {
    for (let round = 0; ; round += 1) {
      const ids = Array.from({ length: 20 }, (_, index) => `${seed}-${number}-${round}-${index}-${padding}`);
      await state.remember('handled:s', ids, 86_400_000, clock);
      say(`remembered ${ids[0]} ${ids.at(-1)}`);
      if (round % 3 !== 0) continue;
      const slot = await state.reserve('quota:s:token', { limit: 10, holdMs: 3_600_000 }, clock);
      if (slot.granted) say(`reserved ${slot.id}`);
      await state.set(`value:${number}`, JSON.stringify({ seed, round, padding }), 86_400_000, clock);
      say(`set ${number} ${round}`);
    }
  };
  await Promise.all([0, 1, 2, 3].map(worker));
}

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
say('ready');
await lines.next();
const state = open();
if (state) {
  say('held');
  if (mode === 'write') await write(state);
  // Until stdin ends; `hold` exits without close(), as most programs do.
  for (let next = await lines.next(); !next.done; next = await lines.next());
}
process.exit(0);
