import { ConfigurationError } from '../errors.js';

export type Undici = typeof import('undici');

/**
 * undici, or null on a platform where the package leaves it out; see `imports`
 * in package.json.
 *
 * @throws {ConfigurationError} undici cannot be loaded.
 */
export async function loadUndici(): Promise<Undici | null> {
  try {
    const undici = await import('#undici');
    return 'isLeftOut' in undici ? null : complete(undici);
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new ConfigurationError(
      'undici',
      `could not be loaded: ${message}; if a bundler put undici into an ES module, give the bundle ` +
        'a createRequire banner or leave opendelivery-client out of it (docs/runtimes.md, "Bundling for Node.js")',
      { cause },
    );
  }
}

/** After a failed first load, a bundler's loader may return a module that is only partly initialized. */
function complete(undici: Undici): Undici {
  if (typeof undici.Agent !== 'function' || typeof undici.Dispatcher !== 'function') {
    throw new Error('only a part of it was loaded');
  }
  return undici;
}
