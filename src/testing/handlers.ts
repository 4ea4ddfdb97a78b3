import { createRequire } from 'node:module';
import type { HttpHandler } from 'msw';
import { ConfigurationError } from '../errors.js';
import type { HubCore } from './core.js';
import { BrokenConnection } from './wire.js';

/** What `setupServer` and `setupWorker` take. */
export type MswHandlers = readonly HttpHandler[];

/** Handlers for MSW, made when they are asked for: who does not use MSW does not install it. */
export function lazyHandlers(baseUrl: string, core: HubCore): () => MswHandlers {
  let handlers: MswHandlers | undefined;
  return () => {
    handlers ??= makeHandlers(baseUrl, core);
    return handlers;
  };
}

function makeHandlers(baseUrl: string, core: HubCore): MswHandlers {
  const { http } = requireMsw();
  // Everything below the hub's address, so that a wrong path meets the mock's 404 and not the network.
  const below = new RegExp(`^${baseUrl.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')}(?:[/?#]|$)`);
  return [
    http.all(below, async ({ request }) => {
      try {
        return await core.answer(request);
      } catch (error) {
        if (error instanceof BrokenConnection || request.signal.aborted) return Response.error();
        throw error;
      }
    }),
  ];
}

function requireMsw(): typeof import('msw') {
  try {
    // In the CommonJS build this is the runner's own require; jest resolves modules by it.
    const load = typeof require === 'function' ? require : createRequire(import.meta.url);
    return load('msw') as typeof import('msw');
  } catch (cause) {
    throw new ConfigurationError(
      'handlers',
      `need the package msw, which could not be loaded (${cause instanceof Error ? cause.message.split('\n')[0] : cause}); install it, or use mock.fetch or mock.listen()`,
    );
  }
}
