import type { HttpHandler } from 'msw';
import { ConfigurationError } from '../errors/index.js';
import type { HubCore } from './core.js';
import { BrokenConnection } from './response.js';

/**
 * Request handlers for MSW's `setupServer` and `setupWorker`.
 *
 * The type is loose on purpose: MSW is optional, so its types may be missing.
 */
// biome-ignore lint/suspicious/noExplicitAny: see above
export type MswHandlers = readonly any[];

type Run = HttpHandler['run'];

/**
 * Creates one handler for everything below the hub's address, and one for a token
 * endpoint elsewhere, so that a wrong path gets the mock hub's 404 and never reaches the network.
 */
export function createHandlers(baseUrl: string, tokenUrl: string | undefined, core: HubCore): MswHandlers {
  return [baseUrl, ...(tokenUrl === undefined ? [] : [tokenUrl])].map((url) => new LazyHandler(url, core));
}

/**
 * An MSW handler that imports MSW on its first request. So `mock.handlers` is
 * available synchronously in ESM and CommonJS, and applications that do not use
 * MSW need not install it. It has the members that MSW's controller reads, and
 * leaves the work to the real handler.
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
    this.#handler ??= this.#create();
    return (await this.#handler).run(args);
  }

  // MSW calls these; this handler has no state between requests.
  dispose(): void {}
  reset(): void {}
  restore(): void {}
  log(): void {}

  async #create(): Promise<HttpHandler> {
    const { http } = await importMsw();
    return http.all(this.info.path, async ({ request }) => {
      try {
        return await this.#core.respond(request);
      } catch (error) {
        if (error instanceof BrokenConnection || request.signal.aborted) return Response.error();
        throw error;
      }
    });
  }
}

async function importMsw(): Promise<typeof import('msw')> {
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
