import { once } from 'node:events';
import { createMockHub } from '../../testing/create-mock-hub.js';
import type { Clock } from '../../time/clock.js';
import { listenForInterruption } from '../interruption.js';
import type { McpOptions } from '../mcp.js';
import { listenWith } from '../mock/server-options.js';
import { clockOf } from '../mock.js';
import type { Terminal } from '../terminal.js';
import { controlClient } from '../trigger/control-client.js';
import { doctorTools } from './doctor-tool.js';
import { explainTools, listGuides } from './guides.js';
import { mockTools } from './mock-tools.js';
import { Rehearsals } from './rehearsal-tools.js';
import { loadSdk } from './sdk.js';
import { connectServer, type Served } from './server.js';

/** Serves until the assistant closes stdin, or the process is interrupted. Only the protocol is written to stdout. */
export async function serve(terminal: Terminal, options: McpOptions, version: string): Promise<void> {
  const sdk = await loadSdk();
  using interruption = listenForInterruption();
  await using offer = await offering(terminal.clock, options, version);
  const { stdin } = process;
  const ended = Promise.race([once(stdin, 'close'), once(stdin, 'end'), interruption.interrupted]);
  const transport = new sdk.StdioServerTransport();
  // The SDK ends the connection, and reads no more, if a message has more than 10 MiB.
  const refused = new Promise<'refused'>((resolve) => {
    transport.onclose = () => resolve('refused');
  });
  const close = await connectServer(sdk, offer, transport);
  terminal.note(`the mock hub is at ${offer.url}`);
  try {
    if ((await Promise.race([ended, refused])) === 'refused')
      terminal.note('the SDK has closed the connection');
  } finally {
    await close();
  }
}

export interface Offer extends Served, AsyncDisposable {
  /** The address of the mock hub. */
  readonly url: string;
}

/** All tools and guides, with a mock hub: one that runs, or a new one. Disposing it ends what it has started. */
export async function offering(clock: Clock, options: McpOptions, version: string): Promise<Offer> {
  const { url: address, close } =
    options.url === undefined
      ? await listenWith(createMockHub({ clock: clockOf(clock, 1) }), {
          port: options.port,
          host: '127.0.0.1',
        })
      : { url: options.url, close: () => {} };
  const url = address.replace(/\/$/, '');
  const control = controlClient(url, clock, (title) => new TypeError(title));
  const rehearsals = new Rehearsals(clock);
  const ending = new AbortController();
  return {
    url,
    version,
    tools: [
      ...mockTools(url, control),
      ...explainTools(),
      ...doctorTools(clock, ending.signal),
      ...rehearsals.tools,
    ],
    guides: listGuides(),
    [Symbol.asyncDispose]: async () => {
      ending.abort();
      await rehearsals.stop();
      await close();
    },
  };
}
