import { isHubError } from '../errors.js';

/** What the program's exit code says; `--help` lists them. */
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
  2  an option or a variable is missing or wrong; nothing was sent
  3  the hub refuses the credentials
  4  the hub is out of reach, fails, or answers what cannot be used
  5  a rate limit stands in the way`;

export function exitCodeOf(error: unknown): number {
  if (!isHubError(error)) return EXIT.unexpected;
  switch (error.code) {
    case 'configuration':
      return EXIT.usage;
    case 'authentication':
      return EXIT.credentials;
    case 'rate_limit':
      return EXIT.rateLimit;
    default:
      return EXIT.hub;
  }
}
