import type { HttpHandler } from 'msw';
import { ConfigurationError } from '../errors.js';
import type { HubCore } from './core.js';
import { BrokenConnection } from './wire.js';

/**
 * What `setupServer` and `setupWorker` take. Not typed by MSW, whose types need
 * not be there for those who do not use it.
 */
// biome-ignore lint/suspicious/noExplicitAny: see above
export type MswHandlers = readonly any[];

type Run = HttpHandler['run'];

/**
 * One handler for everything below the hub's address, so that a wrong path
 * meets the mock's 404 and not the network.
 */
export function handlersOf(baseUrl: string, core: HubCore): MswHandlers {
  return [new LazyHandler(baseUrl, core)];
}

/**
 * Stands for an MSW handler that is made at its first request: `handlers` is
 * had without waiting, by ESM and CommonJS alike, and who does not use MSW does
 * not install it. It has what MSW's controller looks at; the rest is done by
 * the real one.
 */
class LazyHandler {
  readonly kind = 'request';
  readonly info: { readonly header: string; readonly path: RegExp; readonly method: string };
  readonly #core: HubCore;
  #handler: Promise<HttpHandler> | undefined;

  constructor(baseUrl: string, core: HubCore) {
    const path = new RegExp(`^${baseUrl.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')}(?:[/?#]|$)`);
    this.info = { header: `ALL ${baseUrl}`, path, method: 'ALL' };
    this.#core = core;
  }

  async run(args: Parameters<Run>[0]): ReturnType<Run> {
    if (!this.info.path.test(args.request.url)) return null;
    this.#handler ??= this.#make();
    return (await this.#handler).run(args);
  }

  // Nothing is kept between requests: there is nothing to end, to put back or to tell.
  dispose(): void {}
  reset(): void {}
  restore(): void {}
  log(): void {}

  async #make(): Promise<HttpHandler> {
    const { http } = await loadMsw();
    return http.all(this.info.path, async ({ request }) => {
      try {
        return await this.#core.answer(request);
      } catch (error) {
        if (error instanceof BrokenConnection || request.signal.aborted) return Response.error();
        throw error;
      }
    });
  }
}

async function loadMsw(): Promise<typeof import('msw')> {
  try {
    return await import('msw');
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.split('\n')[0] : String(cause);
    throw new ConfigurationError(
      'handlers',
      `need the package msw, which could not be loaded (${reason}); install it, or use mock.fetch or mock.listen()`,
    );
  }
}
