import { type AnyHubError, type ConnectionError, isHubError } from '../errors.js';
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

/** What the codes of failed connections mean, and what to do. */
const CONNECTION: ReadonlyArray<readonly [pattern: RegExp, meaning: string, remedy: string]> = [
  [/ECONNREFUSED/, 'nothing accepts connections there', 'start the hub, or check baseUrl'],
  [/ENOTFOUND/, 'there is no host of that name', 'check baseUrl'],
  [/EAI_AGAIN/, 'the name of the host could not be looked up', 'check the network'],
  [
    /wrong version number|packet length too long/,
    'that port does not speak TLS',
    'check baseUrl: port, http or https',
  ],
  [
    /certificate|CERT_|ALTNAME/i,
    'the certificate of the hub is not accepted',
    'check baseUrl, or ask the operator',
  ],
  [/ECONNRESET|EPIPE|other side closed|socket hang up/, 'the connection broke', 'try again later'],
  [/timeout|ETIMEDOUT/i, 'the host does not answer', 'check baseUrl and the network'],
];

/** An error as one sentence that says what to do, in the words of the command line. */
export function explained(error: unknown): string {
  if (!isHubError(error)) return error instanceof Error ? error.message : String(error);
  const message = error.code === 'connection' ? connectionText(error) : error.message + remedyOf(error);
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

function connectionText({ endpoint, message }: ConnectionError): string {
  const [, meaning, remedy] = CONNECTION.find(([pattern]) => pattern.test(message)) ?? [];
  if (meaning === undefined) return `${message}; check baseUrl and the network`;
  // OpenSSL's own words are a line of numbers.
  const detail = /OPENSSL|SSL routines/i.test(message) ? '' : ` (${message.replace(`${endpoint}: `, '')})`;
  return `${endpoint}: ${meaning}${detail}; ${remedy}`;
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
