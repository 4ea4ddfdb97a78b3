import type { Command } from 'commander';

/** The options of every command that connects to a hub. Keys are never options, only files or variables. */
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
