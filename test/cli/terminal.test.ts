import { Writable } from 'node:stream';
import { ManualClock } from 'opendelivery-client/testing';
import { expect, it } from 'vitest';
import { Terminal } from '../../src/cli/terminal.js';

it('shows its status once, also when lines and the status are written at the same time', async () => {
  const shown: string[] = [];
  // A slow terminal: the callbacks come after everything was handed over.
  const stream = Object.assign(
    new Writable({
      write(chunk, _, done) {
        shown.push(String(chunk));
        setImmediate(done);
      },
    }),
    { isTTY: true, columns: 60 },
  );
  const clock = new ManualClock();
  const terminal = new Terminal({ out: stream, err: stream, env: {}, clock });
  const over = new AbortController();
  const watching = terminal.watch(over.signal, () => 'waiting');
  const lines = [terminal.line('one'), terminal.line('two')];
  await clock.advance('3s');
  await Promise.all(lines);
  over.abort();
  await watching;
  const between = shown.join('').split('\r\u001b[2K');
  expect(between.length).toBeGreaterThan(4);
  expect(between.filter((text) => text.split('waiting').length > 2)).toEqual([]);
});
