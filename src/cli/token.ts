import { type ConnectionOptions, connect } from './connect.js';
import { lasting } from './spoken.js';
import { paint, styled } from './styled.js';
import type { Terminal } from './terminal.js';

/** Checks the credentials with one token request, unless a token was kept; prints the expiry, never the token. */
export async function token(
  terminal: Terminal,
  options: ConnectionOptions & { readonly json?: boolean },
): Promise<void> {
  await using hub = connect(terminal, options, 'store', { logger: false, clock: terminal.clock });
  let isKept = true;
  hub.on('tokenRenewed', () => {
    isKept = false;
  });
  const { expiresAt } = await terminal.during('asking the hub', () => hub.auth.getToken());
  const expires = new Date(expiresAt).toISOString();
  if (options.json) return terminal.json({ ok: true, expiresAt: expires });
  const left = lasting(expiresAt - terminal.clock.now());
  await terminal.line(styled`${paint('green', 'good')}: the token lasts ${left}, until ${expires}`);
  if (isKept) {
    terminal.remark(
      'an earlier run kept this token: the hub was not asked; without --state the credentials are tried',
    );
  }
  if (options.state === undefined)
    terminal.remark('this used one of the 10 token requests an hour; --state keeps the token');
}
