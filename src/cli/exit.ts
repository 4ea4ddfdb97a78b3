import { isHubError } from '../errors.js';

/** What the program's exit code means; `--help` lists them. */
export const EXIT = Object.freeze({
  done: 0,
  unexpected: 1,
  usage: 2,
  credentials: 3,
  hub: 4,
  rateLimit: 5,
});

export const EXIT_HELP = `Exit codes:
  0  done
  1  something unexpected
  2  an option, a variable or a file is missing or wrong
  3  the hub refuses the credentials
  4  the hub cannot be reached, fails, or answers something unusable
  5  a rate limit leaves no request for now`;

export function exitCodeOf(error: unknown): number {
  if (!isHubError(error)) return EXIT.unexpected;
  switch (error.code) {
    case 'configuration':
    case 'state':
      return EXIT.usage;
    case 'authentication':
      return EXIT.credentials;
    case 'rate_limit':
      return EXIT.rateLimit;
    default:
      return EXIT.hub;
  }
}
