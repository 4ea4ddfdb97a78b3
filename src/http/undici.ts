import { ConfigurationError } from '../errors.js';

export type Undici = typeof import('undici');

/** @throws {ConfigurationError} undici cannot be loaded. */
export async function loadUndici(): Promise<Undici> {
  try {
    return complete(await import('undici'));
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new ConfigurationError(
      'undici',
      `could not be loaded: ${message}; if a bundler put undici into an ES module, give the bundle ` +
        'a createRequire banner or leave undici out of it (docs/running-in-production.md, "Bundling")',
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
