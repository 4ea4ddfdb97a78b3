#!/usr/bin/env node
import { version } from '../../package.json';
import { systemClock } from '../time/clock.js';
import { run } from './program.js';

// A closed pipe rejects the write. Without a listener, it would also end the process with a stack trace.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

void run(
  process.argv.slice(2),
  { in: process.stdin, out: process.stdout, err: process.stderr, env: process.env, clock: systemClock },
  version,
).then((code) => {
  process.exitCode = code;
});
