/** Runs examples/exactly-once.ts with a state that ends the process, with SIGKILL, when it should write a mark. */
import { join } from 'node:path';
import { fileState, type State } from 'opendelivery-client';
import { run } from '../../examples/exactly-once.js';
import { methodsOf } from '../state/methods.js';
import { type Epoch, sharedClock } from './shared-clock.js';

export interface ExactlyOnceOrders {
  readonly epoch: Epoch;
  readonly directory: string;
  readonly baseUrl: string;
  readonly credentials: { readonly clientId: string; readonly clientSecret: string };
  /** Whether this process dies between handling an event and marking it. */
  readonly dies: boolean;
}

const { epoch, directory, baseUrl, credentials, dies } = JSON.parse(
  process.argv[2] ?? '',
) as ExactlyOnceOrders;
const files = fileState(join(directory, 'state'));
const deadly: State = {
  ...methodsOf(files),
  mark: (key, ids, change, clock) => {
    if ('handled' in change) process.kill(process.pid, 'SIGKILL');
    return files.mark(key, ids, change, clock);
  },
};
const clock = sharedClock(epoch);
const state = dies ? deadly : files;
const options = { baseUrl, ...credentials, clock, state, logger: false as const, timeoutMs: 300_000 };
const terminated = () => new Promise((resolve) => process.once('SIGTERM', resolve));
console.log(await run(options, directory, terminated));
