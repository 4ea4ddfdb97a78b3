import { formatCount, formatDuration } from '../format.js';
import { maskToken, type Session, warnNow } from './session.js';

/** Prints events and acknowledges each one after its line has been written. */
export async function consumeEvents(session: Session): Promise<void> {
  const { terminal, hub, printer, once, signal } = session;
  const poller = hub.poller();
  let writeError: unknown;
  const failed = new AbortController();
  poller.on('event', async (event) => {
    await maskToken(session);
    try {
      await printer.event(event);
    } catch (error) {
      writeError = error; // the pipe is closed: the remaining events stay at the hub
      failed.abort();
      throw error;
    }
  });
  poller.on('invalid', ({ issues }) => printer.issues(issues));
  poller.on('standby', ({ retryAfterMs }) => warnNow(session, describeLease(retryAfterMs)));
  poller.on('error', (error) => warnNow(session, `${error.message}; polling continues`));
  session.nextPollAt = () => poller.health().nextPollAt;
  const ended = AbortSignal.any([signal, failed.signal]);
  try {
    if (once) {
      const report = await poller.runOnce({ signal });
      if (report.skipped) throw new Error(describeLease(report.retryAfterMs));
      const { length } = report.unacknowledged;
      if (length > 0) {
        throw writeError ?? new Error(`${formatCount(length, 'event')} not acknowledged; the hub keeps them`);
      }
      return;
    }
    await poller.start({ signal: ended });
    if (!ended.aborted) await new Promise((resolve) => ended.addEventListener('abort', resolve));
    if (writeError) throw writeError;
  } catch (error) {
    if (!signal.aborted) throw writeError ?? error;
  } finally {
    const { acknowledged, unacknowledged } = await poller.stop();
    if (!once) {
      terminal.note(
        `${formatCount(acknowledged, 'event')} acknowledged, ${unacknowledged.length} left at the hub`,
      );
    }
  }
}

function describeLease(retryAfterMs: number): string {
  return `another poller handles this store's events; its lease ends in ${formatDuration(retryAfterMs)} unless it is renewed`;
}
