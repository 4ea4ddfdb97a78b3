import { type ConnectionOptions, connect } from './connect.js';
import { lasting } from './spoken.js';
import type { Terminal } from './terminal.js';

/** Checks the credentials with one token request, unless a token was kept, and tells the expiry, never the token. */
export async function token(
  terminal: Terminal,
  options: ConnectionOptions & { readonly json?: boolean },
): Promise<void> {
  await using hub = connect(options, { logger: false, clock: terminal.clock });
  let isKept = true;
  hub.on('tokenRenewed', () => {
    isKept = false;
  });
  const { expiresAt } = await hub.auth.getToken();
  const expires = new Date(expiresAt).toISOString();
  if (options.json) return terminal.line(JSON.stringify({ ok: true, expiresAt: expires }));
  const left = lasting(expiresAt - terminal.clock.now());
  await terminal.line(`${terminal.paint('green', 'good')}: the token lasts ${left}, until ${expires}`);
  if (isKept) terminal.remark('it was kept, and nobody was asked: without --state the credentials are tried');
  if (options.state === undefined)
    terminal.remark('this took one of the 10 token requests an hour; --state keeps the token');
}
