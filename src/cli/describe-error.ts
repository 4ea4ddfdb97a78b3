import { type AnyHubError, isHubError } from '../errors/index.js';
import { formatDuration } from './format.js';

/** The client options that error messages name, and how the command line sets them. */
const OPTIONS: Readonly<Record<string, string>> = {
  baseUrl: '--base-url or HUB_BASE_URL',
  basePath: '--base-path or HUB_BASE_PATH',
  tokenUrl: '--token-url',
  clientId: 'HUB_CLIENT_ID',
  clientSecret: 'HUB_CLIENT_SECRET',
  apiKey: 'HUB_API_KEY',
  allowInsecureHttp: '--allow-insecure-http',
  fileState: '--state',
  timeZone: '--time-zone',
};

/** An error as one sentence that says what to do, with the option names of the command line. */
export function describeError(error: unknown): string {
  if (!isHubError(error)) return error instanceof Error ? error.message : String(error);
  const message = error.message + remedyOf(error);
  // About an option of the command line: what it names as well is in a file.
  if (message.startsWith('--')) return message;
  const options = Object.entries(OPTIONS)
    .filter(([name]) => new RegExp(`\\b${name}\\b`).test(message))
    .filter(([, option]) => !option.split(' or ').some((name) => message.includes(name)))
    .map(([, option]) => option);
  return options.length === 0 ? message : `${message} (set by ${options.join(', ')})`;
}

/** A usage error of the option parser, without the key that it would print. */
export function describeUsageError(text: string): string {
  return text
    .replace(/(unknown option '[^'=]*)=.*'/s, "$1'")
    .replace(
      /unknown option '--(client-secret|api-key)'/,
      (unknown, name: string) =>
        `${unknown}: other users can read command lines; use --${name}-file or HUB_${name.toUpperCase().replace('-', '_')}`,
    );
}

type PerCode<T> = Readonly<Partial<Record<AnyHubError['code'], T>>>;

/** What to do, if the message does not say it. */
const REMEDIES: PerCode<string> = {
  timeout: '; the hub is slow or does not respond: try again later',
  server: '; the hub failed: try again later',
  bad_request: '; the hub rejected the request: check the options',
};

function remedyOf(error: AnyHubError): string {
  if (error.code === 'rate_limit') return `; try again in ${formatDuration(error.retryAfterMs)}`;
  return REMEDIES[error.code] ?? '';
}

/** The exit codes of the program; see `EXIT_HELP`. */
export const EXIT = Object.freeze({
  done: 0,
  unexpected: 1,
  violations: 1,
  usage: 2,
  credentials: 3,
  hub: 4,
  rateLimit: 5,
  changed: 6,
});

export const EXIT_HELP = `Exit codes:
  0  success
  1  unexpected error; mock --fail-on-violations: a broken rule; certify: an item not passed
  2  an option, a variable or a file is missing or invalid
  3  the hub refused the credentials
  4  the hub is unreachable, failed, or sent an unusable response
  5  a rate limit allows no request now
  6  the hub has changed since the baseline (doctor --baseline)`;

const EXIT_CODES: PerCode<number> = {
  configuration: EXIT.usage,
  state: EXIT.usage,
  authentication: EXIT.credentials,
  rate_limit: EXIT.rateLimit,
};

export function exitCodeOf(error: unknown): number {
  return isHubError(error) ? (EXIT_CODES[error.code] ?? EXIT.hub) : EXIT.unexpected;
}
