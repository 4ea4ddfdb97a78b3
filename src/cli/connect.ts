import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import type { Command } from 'commander';
import { HubClient } from '../client.js';
import { ConfigurationError } from '../errors.js';
import type { HubClientOptions } from '../options.js';
import { fileState } from '../state/file.js';

/** What every command that talks to a hub can be told; secrets come from the environment only. */
export interface ConnectionOptions {
  readonly envFile?: string;
  readonly baseUrl?: string;
  readonly basePath?: string;
  readonly tokenUrl?: string;
  readonly clientId?: string;
  readonly header?: readonly string[];
  readonly allowInsecureHttp?: boolean;
  readonly state?: string;
}

export function withConnection(command: Command): Command {
  return command
    .option(
      '--env-file <file>',
      'variables of this file, where the environment does not set them (default: .env)',
    )
    .option('--base-url <url>', 'the hub, instead of HUB_BASE_URL')
    .option('--base-path <path>', "prefix of every path (default: '/opendelivery')")
    .option('--token-url <url>', 'the token endpoint, when it is elsewhere')
    .option('--client-id <id>', 'instead of HUB_CLIENT_ID')
    .option('--header <name: value>', 'an extra header; may be given more than once', collect, [])
    .option('--allow-insecure-http', 'plain http to other hosts than this one')
    .option('--state <directory>', 'keeps the token and the limits there from run to run')
    .addHelpText(
      'after',
      '\nCredentials: HUB_BASE_URL, HUB_CLIENT_ID, HUB_CLIENT_SECRET and HUB_API_KEY, from the environment or the file.',
    );
}

const collect = (value: string, previous: readonly string[]) => [...previous, value];

/** @throws {ConfigurationError} something is missing or wrong. */
export function connect(given: ConnectionOptions, more: Partial<HubClientOptions>): HubClient {
  const { envFile, header = [], ...rest } = given;
  readEnvironmentFile(envFile);
  const { baseUrl, basePath, tokenUrl, clientId, allowInsecureHttp } = rest;
  const told = { baseUrl, basePath, tokenUrl, clientId, allowInsecureHttp };
  const options = Object.fromEntries(Object.entries(told).filter(([, value]) => value !== undefined));
  return HubClient.fromEnv({
    ...(options as Partial<HubClientOptions>),
    ...(header.length > 0 && { headers: Object.fromEntries(header.map(headerOf)) }),
    ...(given.state !== undefined && { state: fileState(given.state) }),
    ...more,
  });
}

/** The environment wins over the file, as with every tool that reads one. */
function readEnvironmentFile(path: string | undefined): void {
  let text: string;
  try {
    text = readFileSync(path ?? '.env', 'utf8');
  } catch (cause) {
    if (path === undefined) return;
    throw new ConfigurationError('--env-file', `${path} cannot be read: ${(cause as Error).message}`);
  }
  for (const [name, value] of Object.entries(parseEnv(text))) {
    if (name.startsWith('HUB_')) process.env[name] ||= value;
  }
}

function headerOf(text: string): readonly [string, string] {
  const [, name, value] = /^([^:\s]+):\s*(.+)$/.exec(text) ?? [];
  if (name === undefined || value === undefined) {
    throw new ConfigurationError('--header', `'${text}' is no 'name: value'`);
  }
  return [name, value];
}
