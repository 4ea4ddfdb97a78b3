import { Command } from 'commander';
import { createMockHub } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { addSwitches, switchesOf } from '../../../src/cli/mock/switches.js';
import { mockCommand } from '../../../src/cli/mock.js';
import { Terminal } from '../../../src/cli/terminal.js';
import { SWITCHES } from '../../../src/testing/options.js';
import { systemClock } from '../../../src/time/clock.js';

const io = { out: process.stdout, err: process.stderr, env: {}, clock: systemClock };
const SERVER = ['port', 'host', 'allowHost', 'allowOrigin'];
const OWN = ['scale', 'faults', 'seed', 'store', 'script'];

/** The switches that a command line sets. */
function parsed(...argv: string[]) {
  const command = addSwitches(new Command())
    .exitOverride()
    .configureOutput({ writeErr: () => {} });
  return switchesOf(command.parse(argv, { from: 'user' }).opts());
}

const defaults = Object.fromEntries(Object.entries(SWITCHES).map(([name, row]) => [name, row.default]));

// Of the parsed options: most switches show only in what the hub does later.
describe('the options of opendelivery mock', () => {
  it('are the switches of createMockHub, those of listen, and its own', () => {
    const names = mockCommand(new Terminal(io)).options.map((option) => option.attributeName());
    const more = ['push', 'failOnViolations', 'violations', 'replay', 'basePath', 'profile', 'hostProfile'];
    expect(names).toEqual([...SERVER, ...OWN, ...more, ...Object.keys(SWITCHES)]);
  });

  it('have the defaults of createMockHub', () => {
    expect(parsed()).toEqual(defaults);
    expect(() => createMockHub(parsed())).not.toThrow();
  });

  it.each([
    ['--empty-poll []', { emptyPoll: '[]' }],
    ['--bad-key-status 403', { badKeyStatus: 403 }],
    ['--no-limit-headers', { limitHeaders: false }],
    ['--windows fixed', { windows: 'fixed' }],
    ['--retry-after date', { retryAfter: 'date' }],
    ['--unknown-event-status 404', { unknownEventStatus: 404 }],
    ['--repeated-command-status 202', { repeatedCommandStatus: 202 }],
    ['--cancellation leave', { cancellation: 'leave' }],
    ['--strict-bodies', { strictBodies: true }],
    ['--allowed', { allowed: true }],
    ['--order shuffled', { order: 'shuffled' }],
    ['--max-events-per-poll 7', { maxEventsPerPoll: 7 }],
    ['--token-lifetime-ms 60000', { tokenLifetimeMs: 60_000 }],
    ['--expires-in epoch', { expiresIn: 'epoch' }],
    ['--unanswered-after-ms Infinity', { unansweredAfterMs: Number.POSITIVE_INFINITY }],
    ['--latency-ms 250', { latencyMs: 250 }],
  ])('%s sets its switch', (commandLine, switches) => {
    expect(parsed(...commandLine.split(' '))).toEqual({ ...defaults, ...switches });
    expect(() => createMockHub(parsed(...commandLine.split(' ')))).not.toThrow();
  });

  it.each([
    [['--bad-key-status', '404'], 'Allowed choices are 401, 403.'],
    [['--windows', ''], 'Allowed choices are sliding, fixed.'],
    [['--max-events-per-poll', '1.5'], 'It must be a whole number of at least 1.'],
    [['--latency-ms', ''], 'It must be a number of at least 0.'],
    [['--token-lifetime-ms', '10'], 'It must be a number of at least 1000.'],
  ])('%j is refused, with what it must be', (argv, message) => {
    expect(() => parsed(...argv)).toThrow(message);
  });
});
