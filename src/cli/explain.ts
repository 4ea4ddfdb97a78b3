import { type AnyHubError, isHubError } from '../errors.js';
import { lasting } from './spoken.js';

/** The options of the client that messages speak of, and how the command line calls them. */
const NAMES: Readonly<Record<string, string>> = {
  baseUrl: '--base-url or HUB_BASE_URL',
  basePath: '--base-path',
  tokenUrl: '--token-url',
  clientId: 'HUB_CLIENT_ID',
  clientSecret: 'HUB_CLIENT_SECRET',
  apiKey: 'HUB_API_KEY',
  allowInsecureHttp: '--allow-insecure-http',
  fileState: '--state',
};

/** An error as one sentence that says what to do, in the words of the command line. */
export function explained(error: unknown): string {
  if (!isHubError(error)) return error instanceof Error ? error.message : String(error);
  const message = `${error.message}${remedyOf(error)}`;
  const names = Object.entries(NAMES)
    .filter(([name, here]) => new RegExp(`\\b${name}\\b`).test(message) && !message.includes(here))
    .map(([, here]) => here);
  return names.length === 0 ? message : `${message} (here: ${names.join(', ')})`;
}

/** What to do, where the message does not say it. */
function remedyOf(error: AnyHubError): string {
  switch (error.code) {
    case 'connection':
      return '; check the address (baseUrl) and the network, and that the hub is running';
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
