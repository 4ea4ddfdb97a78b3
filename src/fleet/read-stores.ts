import { abandonOnAbort } from '../async/promises.js';
import { ConfigurationError, TimeoutError } from '../errors/index.js';
import { withinTime } from '../time/timer.js';
import type { PollingOptions } from './polling.js';

/** How long the stores may take to be read again; longer than a store's listeners may hold up its removal. */
const READ_TIMEOUT_MS = 120_000;

type Reading = Pick<PollingOptions, 'engine' | 'roster' | 'onError'>;

/** Reads the stores. Loading undici takes a tenth of a second of CPU time, for which no poll should wait. */
export async function readStores({ engine, roster }: Reading): Promise<void> {
  const { transport } = engine.services;
  await Promise.all([roster.load(), transport.isReady() ? undefined : transport.prepare()]);
}

/**
 * Reads the stores. If that fails, it is reported, and a later read is waited for; see `readAgain`.
 *
 * @param ended - after the end, nothing is reported.
 */
export async function readPersistently(reading: Reading, ended: AbortSignal): Promise<void> {
  const { roster, onError } = reading;
  try {
    await readStores(reading);
  } catch (error) {
    if (ended.aborted || error instanceof ConfigurationError || !roster.isRefreshable) throw error;
    onError(error);
    await roster.loaded;
  }
}

/**
 * Reads the stores once more. It never rejects. A source that hangs is asked again.
 *
 * @param ended - after the end, nothing is waited for or reported.
 */
export async function readAgain({ roster, engine, onError }: Reading, ended: AbortSignal): Promise<void> {
  const late = () => new TimeoutError('stores', READ_TIMEOUT_MS);
  try {
    const read = () => abandonOnAbort(roster.refresh(), ended);
    await withinTime(engine.services.clock, READ_TIMEOUT_MS, read, late);
  } catch (error) {
    if (!ended.aborted) onError(error);
  }
}
