/** Runs examples/exactly-once.ts; it ends, with SIGKILL, when it should send a command. */
import { run } from '../../examples/exactly-once.js';
import { type Epoch, sharedClock } from './shared-clock.js';

export interface ExactlyOnceOrders {
  readonly epoch: Epoch;
  readonly directory: string;
  readonly baseUrl: string;
  readonly credentials: { readonly clientId: string; readonly clientSecret: string };
  /** Whether this process dies between the commit and the sending of the command. */
  readonly dies: boolean;
}

const { epoch, directory, baseUrl, credentials, dies } = JSON.parse(
  process.argv[2] ?? '',
) as ExactlyOnceOrders;
const clock = sharedClock(epoch);
const deadly: typeof fetch = (input, init) => {
  if (String(input instanceof Request ? input.url : input).endsWith('/confirm'))
    process.kill(process.pid, 'SIGKILL');
  return fetch(input, init);
};
const options = {
  baseUrl,
  ...credentials,
  clock,
  logger: false as const,
  timeoutMs: 300_000,
  ...(dies && { fetch: deadly }),
};
const terminated = () => new Promise((resolve) => process.once('SIGTERM', resolve));
console.log(await run(options, directory, terminated));
