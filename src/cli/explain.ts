import { type AnyHubError, isHubError } from '../errors.js';
import { lasting } from './spoken.js';

/** The options of the client that messages name, and what they are called on the command line. */
const NAMES: Readonly<Record<string, string>> = {
  baseUrl: '--base-url or HUB_BASE_URL',
  basePath: '--base-path',
  tokenUrl: '--token-url',
  clientId: 'HUB_CLIENT_ID',
  clientSecret: 'HUB_CLIENT_SECRET',
  apiKey: 'HUB_API_KEY',
  allowInsecureHttp: '--allow-insecure-http',
  fileState: '--state',
  timeZone: '--time-zone',
};

/** An error as one sentence that says what to do, in the words of the command line. */
export function explained(error: unknown): string {
  if (!isHubError(error)) return error instanceof Error ? error.message : String(error);
  const message = error.message + remedyOf(error);
  const names = Object.entries(NAMES)
    .filter(([name]) => new RegExp(`\\b${name}\\b`).test(message))
    .filter(([, here]) => !here.split(' or ').some((one) => message.includes(one)))
    .map(([, here]) => here);
  return names.length === 0 ? message : `${message} (here: ${names.join(', ')})`;
}

/** A complaint of the option parser, without the key that it would print back. */
export function complaint(text: string): string {
  return text
    .replace(/(unknown option '[^'=]*)=.*'/s, "$1'")
    .replace(
      /unknown option '--(client-secret|api-key)'/,
      (unknown, name: string) =>
        `${unknown}: others can read a command line; use --${name}-file or HUB_${name.toUpperCase().replace('-', '_')}`,
    );
}

/** What to do, where the message does not say it. */
function remedyOf(error: AnyHubError): string {
  switch (error.code) {
    case 'timeout':
      return '; the hub is slow or does not answer: try again later';
    case 'server':
      return '; the fault is at the hub: try again later';
    case 'rate_limit':
      return `; try again in ${lasting(error.retryAfterMs)}`;
    case 'bad_request':
      return '; the hub does not accept this request: check the options';
    default:
      return '';
  }
}
