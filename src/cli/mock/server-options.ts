import type { Command } from 'commander';
import { ConfigurationError } from '../../errors/index.js';
import { allowedHost, allowedOrigin, type ListenOptions } from '../../testing/listen-options.js';
import type { MockHub } from '../../testing/mock-hub.js';
import type { ListeningHub } from '../../testing/server.js';
import { checked, integerFrom } from '../parse-option.js';

export interface ServerOptions extends Pick<ListenOptions, 'allowHost' | 'allowOrigin' | 'rehearsal'> {
  readonly port: number;
  readonly host: string;
}

export const PORT = integerFrom(0, 65_535, 'a port');

export function addServerOptions(command: Command): Command {
  return command
    .option('--port <number>', 'port to listen on; 0 picks a free port', PORT, 4010)
    .option(
      '--host <address>',
      'address to listen on; 0.0.0.0 for containers and other machines',
      '127.0.0.1',
    )
    .option(
      '--allow-host <names>',
      'answer requests for these hosts too, such as mock,host.docker.internal',
      listOf(allowedHost),
    )
    .option(
      '--allow-origin <origins>',
      'answer pages of these origins, such as http://localhost:5173',
      listOf(allowedOrigin),
    );
}

/** Names separated by commas; the option may be repeated. */
const listOf =
  (check: (name: string, value: unknown) => string) =>
  (text: string, previous: readonly string[] = []) => [
    ...previous,
    ...text.split(',').map((each) => checked(`'${each.trim()}'`, check, each.trim())),
  ];

/** Serves the mock hub with its control API. */
export async function listenWith(hub: MockHub, options: ServerOptions): Promise<ListeningHub> {
  const { port, host, allowHost, allowOrigin, rehearsal } = options;
  try {
    return await hub.listen({ port, host, allowHost, allowOrigin, rehearsal, control: true });
  } catch (error) {
    if (error instanceof ConfigurationError)
      throw new ConfigurationError('--host', error.message.replace(/^host: /, ''));
    throw describedListenError(error as NodeJS.ErrnoException, options);
  }
}

/** Why the port or the address cannot be used, and what to do. */
export function describedListenError(
  { code = '', message }: NodeJS.ErrnoException,
  { port, host }: Pick<ServerOptions, 'port' | 'host'>,
): ConfigurationError {
  if (['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN', 'EINVAL'].includes(code)) {
    const remedy = 'use 0.0.0.0 for all its addresses, or leave the option out';
    return new ConfigurationError('--host', `'${host}' is not an address of this machine; ${remedy}`);
  }
  const remedy = 'choose another port with --port (0 picks a free port)';
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: `port ${port} is already in use; stop the program that uses it, or ${remedy}`,
    EACCES: `port ${port} is not permitted for this user; ${remedy}`,
  };
  return new ConfigurationError(
    '--port',
    reasons[code] ?? `port ${port} cannot be used (${message}); ${remedy}`,
  );
}

/** Who else than this machine is answered, if anybody. */
export function* reachLines({ host, allowHost = [], allowOrigin = [] }: ServerOptions): Generator<string> {
  const isOpen = !/^(?:localhost|127\..*|::1)$/.test(host);
  if (isOpen || allowHost.length > 0) {
    const named =
      allowHost.length > 0 ? `answers the hosts ${allowHost.join(', ')}` : 'answers only this machine';
    yield `it listens on ${host} and ${named}; --allow-host adds names`;
  }
  if (allowOrigin.length > 0) yield `it answers pages of ${allowOrigin.join(', ')}`;
}
