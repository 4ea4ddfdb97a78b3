import { isHubError } from '../../errors.js';
import { formatDuration } from '../format.js';
import { maskToken, type Session, warnNow } from './session.js';

/** The hub allows two polls per minute (Spec §8). */
const INTERVAL_MS = 30_000;

/** Polls without acknowledging. The hub repeats all pending events, so only new ones are printed. */
export async function followEvents(session: Session): Promise<void> {
  const { hub, printer, once, signal } = session;
  const { clock } = session.terminal;
  let seen = new Set<string>();
  while (!signal.aborted) {
    const startedAt = clock.now();
    let waitMs = INTERVAL_MS;
    try {
      const { events, issues } = await hub.events.poll({ signal });
      await maskToken(session);
      for (const event of events) if (!seen.has(event.eventId)) await printer.event(event);
      printer.issues(issues);
      seen = new Set(events.map(({ eventId }) => eventId));
    } catch (error) {
      if (signal.aborted) return;
      if (once || !isTemporary(error)) throw error;
      if (isHubError(error) && error.code === 'rate_limit') waitMs = Math.max(waitMs, error.retryAfterMs);
      const leftMs = startedAt + waitMs - clock.now();
      const next = leftMs > 0 ? `in ${formatDuration(leftMs)}` : 'now';
      warnNow(session, `${(error as Error).message}; next poll ${next}`);
    }
    if (once) return;
    const nextPollAt = startedAt + waitMs;
    session.nextPollAt = () => nextPollAt;
    await clock.sleep(Math.max(0, nextPollAt - clock.now()), signal).catch(() => {});
  }
}

/** A failure of the hub may pass. Refused credentials, a wrong address and a closed pipe do not. */
function isTemporary(error: unknown): boolean {
  return isHubError(error) && !['authentication', 'configuration', 'not_found'].includes(error.code);
}
