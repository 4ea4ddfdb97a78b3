import type { ProcessWork, Reply, Request } from '../processes.js';
import { timed } from '../turns.js';

/** What a setup returns if its work is measured in turns. */
export interface Turns {
  /** Before each turn, not measured. */
  prepare?(): unknown;
  run(): unknown;
}

type Setup = (input: unknown) => unknown;

/** The process of one contender: it sets up what the parent asks for, then takes one turn for each message. */
let turns: Turns | undefined;

process.on('message', (request: Request) => {
  answer(request).then(
    (reply) => process.send?.(reply),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});
// The parent was killed.
process.on('disconnect', () => process.exit());

async function answer(request: Request): Promise<Reply> {
  if (request === 'turn') {
    if (!turns) throw new Error('the first request must be the work');
    await turns.prepare?.();
    return timed(turns.run);
  }
  const result = await (await setupOf(request.work))(request.work.input);
  if (request.mode === 'once') return { value: result };
  turns = result as Turns;
  return { ready: true };
}

async function setupOf({ file, setup }: ProcessWork): Promise<Setup> {
  const exports = (await import(new URL(file.replace(/ts$/, 'js'), import.meta.url).href)) as Record<
    string,
    Setup
  >;
  const found = exports[setup];
  if (!found) throw new Error(`${file} does not export ${setup}`);
  return found;
}
