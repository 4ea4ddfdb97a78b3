/** examples/exactly-once.ts with a state that ends the process, with -9, at the moment it is to write a mark. */
import { join } from 'node:path';
import { fileState, type State } from 'opendelivery-client';
import { run } from '../../examples/exactly-once.js';
import { type Epoch, sharedClock } from './shared-clock.js';

export interface ExactlyOnceOrders {
  readonly epoch: Epoch;
  readonly directory: string;
  readonly baseUrl: string;
  readonly credentials: { readonly clientId: string; readonly clientSecret: string };
  /** Whether this process is to die between handling and mark. */
  readonly dies: boolean;
}

const { epoch, directory, baseUrl, credentials, dies } = JSON.parse(
  process.argv[2] ?? '',
) as ExactlyOnceOrders;
const kept = fileState(join(directory, 'state'));
const state: State = dies
  ? Object.assign(Object.create(kept) as State, {
      // Bound: the state's own fields are private to it.
      ...Object.fromEntries(
        (
          [
            'get',
            'set',
            'delete',
            'reserve',
            'settle',
            'shut',
            'lease',
            'release',
            'recall',
            'count',
          ] as const
        ).map((name) => [name, (kept[name] as (...words: unknown[]) => unknown).bind(kept)]),
      ),
      remember: () => process.kill(process.pid, 'SIGKILL'),
    })
  : kept;
const clock = sharedClock(epoch);
const options = { baseUrl, ...credentials, clock, state, logger: false as const, timeoutMs: 300_000 };
const told = () => new Promise((end) => process.once('SIGTERM', end));
console.log(await run(options, directory, told));
