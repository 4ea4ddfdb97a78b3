import { ConfigurationError, ConnectionError, StateError } from 'opendelivery-client';
import { expect, it } from 'vitest';
import { EXIT, EXIT_HELP, exitCodeOf } from '../../src/cli/exit.js';

it('has a line of help for every exit code', () => {
  for (const code of Object.values(EXIT)) expect(EXIT_HELP).toMatch(new RegExp(`^ {2}${code} {2}\\w`, 'm'));
});

it('maps errors to exit codes', () => {
  expect(exitCodeOf(new Error('unknown'))).toBe(EXIT.unexpected);
  expect(exitCodeOf(new ConfigurationError('x', 'is missing'))).toBe(EXIT.usage);
  expect(exitCodeOf(new StateError('the directory is in use'))).toBe(EXIT.usage);
  expect(exitCodeOf(new ConnectionError('polling', 'refused', { mayHaveReachedHub: false }))).toBe(EXIT.hub);
});
