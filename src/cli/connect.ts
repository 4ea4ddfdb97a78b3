import type { Command } from 'commander';
import { HubClient } from '../client.js';
import { ConfigurationError } from '../errors/index.js';
import { secretsIn } from '../observe/secret-headers.js';
import type { HubClientOptions } from '../options/client-options.js';
import { fileState } from '../state/sqlite/file-state.js';
import { parseHeaders, readEnvironment, readKeyFile } from './environment.js';
import { formatDuration } from './format.js';
import { readProfile } from './host-profile.js';
import type { Terminal } from './terminal.js';

/** Long enough to wait for a limit per minute, too short for the token limit per hour. */
export const MAX_WAIT_MS = 65_000;

/** A command masks all that it writes: a shorter secret would be found in our own words. */
const MIN_MASKED = 4;

/** The credentials that a command needs: those for events, the API key, or at least one of the two. */
type Need = 'store' | 'menu' | 'either';

/** What the options, the environment and files say of a hub and its credentials. */
export type Connection = Awaited<ReturnType<typeof readConnection>>;

/** Says so if a file decides which host receives the keys. */
export async function readConnection(terminal: Terminal, options: ConnectionOptions) {
  const environment = readEnvironment(options.env);
  const key = (variable: string, option: string, path: string | undefined) =>
    path === undefined ? environment.key(variable) : readKeyFile(option, path);
  const variable = options.baseUrl === undefined ? environment.get('HUB_BASE_URL') : undefined;
  if (variable?.file !== undefined) {
    // Only the host: the address may contain a password.
    const host = URL.canParse(variable.value) ? `the hub is ${new URL(variable.value).host}; ` : '';
    terminal.note(`${host}HUB_BASE_URL is set in ${variable.file}`);
  }
  const profile = options.profile === undefined ? undefined : await readProfile(options.profile);
  const connection = {
    baseUrl: options.baseUrl ?? variable?.value,
    basePath: options.basePath ?? environment.get('HUB_BASE_PATH')?.value,
    tokenUrl: options.tokenUrl,
    allowInsecureHttp: options.allowInsecureHttp,
    profile,
    clientId: options.clientId ?? environment.get('HUB_CLIENT_ID')?.value,
    clientSecret: key('HUB_CLIENT_SECRET', '--client-secret-file', options.clientSecretFile),
    apiKey: key('HUB_API_KEY', '--api-key-file', options.apiKeyFile),
    headers: parseHeaders(options.header ?? []),
  };
  const { clientSecret, apiKey, headers } = connection;
  for (const secret of [clientSecret, apiKey, ...secretsIn(lowerCase({ ...profile?.headers, ...headers }))]) {
    if (secret !== undefined && secret.length >= MIN_MASKED) terminal.redactor.add(secret);
  }
  return connection;
}

/** Creates the client of a command. */
export async function connect(
  terminal: Terminal,
  options: ConnectionOptions,
  need: Need,
): Promise<HubClient> {
  const state = options.state === undefined ? undefined : fileState(options.state);
  return clientOf(terminal, await readConnection(terminal, options), need, { state });
}

/** @param more - client options that the command sets itself. */
export function clientOf(
  terminal: Terminal,
  connection: Connection,
  need: Need,
  more: Partial<HubClientOptions>,
): HubClient {
  const { baseUrl, ...others } = connection;
  if (baseUrl === undefined) {
    throw new ConfigurationError('baseUrl', 'is missing; set HUB_BASE_URL or pass --base-url');
  }
  const hub = new HubClient({
    baseUrl,
    ...others,
    rateLimit: { maxWaitMs: MAX_WAIT_MS },
    logger: false,
    clock: terminal.clock,
    ...more,
  });
  throwIfMissing(connection, need);
  hub.on('retry', ({ error, delayMs }) => {
    terminal.note(`${terminal.truncate(error.message, 300)}; retrying in ${formatDuration(delayMs)}`);
  });
  return hub;
}

const MISSING = {
  clientId: 'is missing; set HUB_CLIENT_ID or pass --client-id',
  clientSecret: 'is missing; set HUB_CLIENT_SECRET or pass --client-secret-file',
  apiKey: 'is missing; set HUB_API_KEY or pass --api-key-file',
} as const;

function throwIfMissing(credentials: Connection, need: Need): void {
  if (need === 'either') {
    const { clientId, clientSecret, apiKey } = credentials;
    if (apiKey !== undefined || (clientId !== undefined && clientSecret !== undefined)) return;
    throw new ConfigurationError(
      'credentials',
      'are missing; set HUB_CLIENT_ID and HUB_CLIENT_SECRET, or HUB_API_KEY, or all three',
    );
  }
  for (const name of need === 'menu' ? (['apiKey'] as const) : (['clientId', 'clientSecret'] as const)) {
    if (credentials[name] === undefined) throw new ConfigurationError(name, MISSING[name]);
  }
}

const lowerCase = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

/** The options of every command that connects to a hub. Keys are never options, because every process list shows them. */
export interface ConnectionOptions {
  readonly env?: string;
  readonly baseUrl?: string;
  readonly basePath?: string;
  readonly tokenUrl?: string;
  readonly clientId?: string;
  readonly clientSecretFile?: string;
  readonly apiKeyFile?: string;
  readonly profile?: string;
  readonly header?: readonly string[];
  readonly allowInsecureHttp?: boolean;
  readonly state?: string;
}

/** The option is `--env`, because Node takes `--env-file` itself, also behind the name of a script. */
export function addConnectionOptions(command: Command): Command {
  return command
    .option('--env <file>', 'file with variables; the environment takes precedence (default: .env)')
    .option('--base-url <url>', 'address of the hub; overrides HUB_BASE_URL')
    .option(
      '--profile <file>',
      'profile of the host: JSON, or a module (.mjs, .js, .cjs) with a default export',
    )
    .option(
      '--base-path <path>',
      "prefix of every path; overrides HUB_BASE_PATH (default: '/opendelivery', or that of the profile)",
    )
    .option('--token-url <url>', 'complete address of the token endpoint, if it is elsewhere')
    .option('--client-id <id>', 'overrides HUB_CLIENT_ID')
    .option('--client-secret-file <file>', 'read the client secret from this file')
    .option('--api-key-file <file>', 'read the API key from this file')
    .option('--header <name: value>', 'extra header; @file reads one header per line; repeatable', append)
    .option('--allow-insecure-http', 'allow plain HTTP to other machines')
    .option('--state <directory>', 'keep the token and the used limits in this directory between runs')
    .addHelpText(
      'after',
      `
Variables (from the environment or the .env file):
  HUB_BASE_URL       address of the hub
  HUB_BASE_PATH      prefix of every path; / for none
  HUB_CLIENT_ID      for events and orders, together with the client secret
  HUB_CLIENT_SECRET  or HUB_CLIENT_SECRET_FILE, a file that contains it
  HUB_API_KEY        for the menu; or HUB_API_KEY_FILE, a file that contains it`,
    );
}

const append = (value: string, previous: readonly string[] = []) => [...previous, value];
