import type { Command } from 'commander';
import { HubClient } from '../client.js';
import { ConfigurationError } from '../errors.js';
import type { HubClientOptions } from '../options.js';
import { secretsIn } from '../secrets/headers.js';
import { fileState } from '../state/file/file-state.js';
import { Environment, type Variable } from './environment.js';
import { headersOf, keyIn } from './keys.js';
import { lasting } from './spoken.js';
import type { Terminal } from './terminal.js';

/** What every command that talks to a hub can be given; keys come from the environment and from files only. */
export interface ConnectionOptions {
  readonly env?: string;
  readonly baseUrl?: string;
  readonly basePath?: string;
  readonly tokenUrl?: string;
  readonly clientId?: string;
  readonly clientSecretFile?: string;
  readonly apiKeyFile?: string;
  readonly header?: readonly string[];
  readonly allowInsecureHttp?: boolean;
  readonly state?: string;
}

export function withConnection(command: Command): Command {
  return command
    .option('--env <file>', 'take variables that the environment does not set from this file (default: .env)')
    .option('--base-url <url>', 'address of the hub, instead of HUB_BASE_URL')
    .option('--base-path <path>', "prefix of every path (default: '/opendelivery')")
    .option('--token-url <url>', 'address of the token endpoint, when it is another host')
    .option('--client-id <id>', 'instead of HUB_CLIENT_ID')
    .option('--client-secret-file <file>', 'read the client secret from this file')
    .option('--api-key-file <file>', 'read the API key from this file')
    .option(
      '--header <name: value>',
      'an extra header, or @file with one in each line; may be repeated',
      collect,
    )
    .option('--allow-insecure-http', 'allow plain http to other machines')
    .option('--state <directory>', 'keep the token and the limits in this directory from run to run')
    .addHelpText(
      'after',
      `
Variables, from the environment or the .env file:
  HUB_BASE_URL            address of the hub
  HUB_CLIENT_ID           for events and orders, with
  HUB_CLIENT_SECRET       or HUB_CLIENT_SECRET_FILE
  HUB_API_KEY             for the menu, or HUB_API_KEY_FILE`,
    );
}

const collect = (value: string, previous: readonly string[] = []) => [...previous, value];

/** A slot of the quotas of a minute is worth waiting for; one of the token's hour is not. */
export const MAX_WAIT_MS = 65_000;

/** The credentials that a command cannot do without: for events, for the menu, or for either. */
export type Need = 'store' | 'menu' | 'either';

/** @throws {ConfigurationError} something is missing or wrong. */
export function connect(
  terminal: Terminal,
  given: ConnectionOptions,
  need: Need,
  more: Partial<HubClientOptions>,
): HubClient {
  const environment = Environment.read(given.env);
  const { basePath, tokenUrl, allowInsecureHttp } = given;
  const fromFile = environment.get('HUB_BASE_URL');
  const credentials = {
    clientId: given.clientId ?? environment.get('HUB_CLIENT_ID')?.value,
    clientSecret: keyOf(environment, 'HUB_CLIENT_SECRET', '--client-secret-file', given.clientSecretFile),
    apiKey: keyOf(environment, 'HUB_API_KEY', '--api-key-file', given.apiKeyFile),
  };
  const headers = headersOf(given.header ?? []);
  for (const secret of [credentials.clientSecret, credentials.apiKey, ...secretsIn(lowerCase(headers))]) {
    if (secret !== undefined) terminal.redactor.add(secret);
  }
  const baseUrl = given.baseUrl ?? fromFile?.value;
  if (baseUrl === undefined) {
    throw new ConfigurationError('baseUrl', 'is missing; set HUB_BASE_URL or pass --base-url');
  }
  if (given.baseUrl === undefined && fromFile?.file !== undefined) announce(terminal, fromFile);
  const hub = new HubClient({
    baseUrl,
    basePath,
    tokenUrl,
    allowInsecureHttp,
    headers,
    ...credentials,
    rateLimit: { maxWaitMs: MAX_WAIT_MS },
    ...more,
    state: more.state ?? (given.state === undefined ? undefined : fileState(given.state)),
  });
  throwIfMissing(credentials, need);
  hub.on('retry', ({ error, delayMs }) => {
    terminal.remark(`${terminal.quote(error.message, 300)}; trying again in ${lasting(delayMs)}`);
  });
  return hub;
}

function keyOf(
  environment: Environment,
  variable: string,
  option: string,
  path: string | undefined,
): string | undefined {
  return path === undefined ? environment.key(variable) : keyIn(option, path);
}

/** A file in the present directory decides where the keys are sent: that must not go unnoticed. */
function announce(terminal: Terminal, { value, file }: Variable): void {
  // The host only: an address may hold a password.
  const host = URL.canParse(value) ? `the hub is ${new URL(value).host}: ` : '';
  terminal.remark(`${host}HUB_BASE_URL comes from ${file}`);
}

const MISSING = {
  clientId: 'is missing; set HUB_CLIENT_ID or pass --client-id',
  clientSecret: 'is missing; set HUB_CLIENT_SECRET, or name a file that holds it with --client-secret-file',
  apiKey: 'is missing; set HUB_API_KEY, or name a file that holds it with --api-key-file',
} as const;

function throwIfMissing(
  credentials: { readonly [Name in keyof typeof MISSING]: string | undefined },
  need: Need,
): void {
  if (need === 'either') {
    const { clientId, clientSecret, apiKey } = credentials;
    if (apiKey !== undefined || (clientId !== undefined && clientSecret !== undefined)) return;
    throw new ConfigurationError(
      'credentials',
      'are missing; set HUB_CLIENT_ID and HUB_CLIENT_SECRET, or HUB_API_KEY, or both',
    );
  }
  for (const name of need === 'menu' ? (['apiKey'] as const) : (['clientId', 'clientSecret'] as const)) {
    if (credentials[name] === undefined) throw new ConfigurationError(name, MISSING[name]);
  }
}

const lowerCase = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
