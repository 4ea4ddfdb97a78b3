import { type ConnectionOptions, connect } from './connect.js';
import { lasting } from './spoken.js';
import type { Terminal } from './terminal.js';

/** Checks the credentials with one token request, and tells the expiry, never the token. */
export async function token(
  terminal: Terminal,
  options: ConnectionOptions & { readonly json?: boolean },
): Promise<void> {
  await using hub = connect(options, { logger: false, clock: terminal.clock });
  const { expiresAt } = await hub.auth.getToken();
  const expires = new Date(expiresAt).toISOString();
  if (options.json) return terminal.line(JSON.stringify({ ok: true, expiresAt: expires }));
  const left = lasting(expiresAt - terminal.clock.now());
  await terminal.line(`${terminal.paint('green', 'good')}: the token lasts ${left}, until ${expires}`);
  if (options.state === undefined)
    terminal.remark('this took one of the 10 token requests an hour; --state keeps the token');
}
