import { isHubError } from '../errors.js';

/** The exit codes of the program; see `EXIT_HELP`. */
export const EXIT = Object.freeze({
  done: 0,
  unexpected: 1,
  usage: 2,
  credentials: 3,
  hub: 4,
  rateLimit: 5,
});

export const EXIT_HELP = `Exit codes:
  0  success
  1  unexpected error
  2  an option, a variable or a file is missing or invalid
  3  the hub refused the credentials
  4  the hub is unreachable, failed, or sent an unusable response
  5  a rate limit allows no request now`;

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
