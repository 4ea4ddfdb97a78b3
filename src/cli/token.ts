import { Command } from 'commander';
import { ENDPOINTS } from '../hub/endpoints.js';
import { addConnectionOptions, type ConnectionOptions, connect } from './connect.js';
import { formatDuration } from './format.js';
import { paint, styled } from './styled.js';
import type { Terminal } from './terminal.js';

interface TokenOptions extends ConnectionOptions {
  readonly json?: boolean;
}

export function tokenCommand(terminal: Terminal): Command {
  return addConnectionOptions(new Command('token'))
    .description(
      'Checks the credentials with one token request. Prints when the token expires, never the token.',
    )
    .option('--json', 'print one JSON document')
    .action((options: TokenOptions) => token(terminal, options));
}

async function token(terminal: Terminal, options: TokenOptions): Promise<void> {
  await using hub = await connect(terminal, options, 'store');
  let isNew = false;
  hub.on('tokenRenewed', () => {
    isNew = true;
  });
  const { expiresAt } = await terminal.withStatus('waiting for the hub', () => hub.auth.getToken());
  const expires = new Date(expiresAt).toISOString();
  // Awaited: the hub closes after it, and until then nobody would handle that the pipe is closed.
  if (options.json) return await terminal.json({ ok: true, expiresAt: expires });
  const left = formatDuration(expiresAt - terminal.clock.now());
  await terminal.line(styled`${paint('green', 'ok')}: the token is valid for ${left}, until ${expires}`);
  if (!isNew) {
    terminal.note(
      'The token is from an earlier run, so the credentials were not checked. To check them, omit --state.',
    );
  }
  if (options.state === undefined) {
    const { limit } = hub.rateLimits().token;
    const window = limit === ENDPOINTS.token.limit ? ' per hour' : '';
    terminal.note(
      `This used 1 of ${limit} token requests${window}. To keep the token, pass --state <directory>.`,
    );
  }
}
