import type { HubClient } from '../../client.js';
import type { EventPrinter } from '../event-printer.js';
import { formatTimeOfDay } from '../format.js';
import type { Terminal } from '../terminal.js';

/** One run of `opendelivery poll`. */
export interface Session {
  readonly terminal: Terminal;
  readonly hub: HubClient;
  readonly printer: EventPrinter;
  readonly once: boolean;
  /** Aborts on Ctrl-C. */
  readonly signal: AbortSignal;
  /** Epoch ms. */
  nextPollAt: () => number | undefined;
}

/** Masks the present token in all output from now on. The poll has just used it, so this sends no request. */
export async function maskToken({ hub, terminal }: Session): Promise<void> {
  const token = await hub.auth.getToken().catch(() => undefined);
  if (token) terminal.redactor.addTemporary(token.value);
}

/** Writes a warning with the time of day. */
export function warnNow({ terminal }: Session, message: string): void {
  terminal.warn(`${formatTimeOfDay(terminal.clock.now())}  ${message}`);
}
