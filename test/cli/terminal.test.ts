import { PassThrough, Writable } from 'node:stream';
import { ManualClock } from 'opendelivery-client/testing';
import { expect, it } from 'vitest';
import { Terminal } from '../../src/cli/terminal.js';
import { exits, hubInEnvironment } from './support.js';

const EVENING = '--time-zone America/Sao_Paulo --at 2026-01-05T21:00-03:00';

it('shows its status once, also if lines are written at the same time', async () => {
  const shown: string[] = [];
  // A slow terminal: it calls back after everything has been written to it.
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
  const writing = terminal.withStatus('waiting', async () => {
    await Promise.all([terminal.line('one'), terminal.line('two'), clock.sleep(2500)]);
  });
  await clock.advance('3s');
  await writing;
  const between = shown.join('').split('\r\u001b[2K');
  expect(between.length).toBeGreaterThan(4);
  expect(between.filter((text) => text.split('waiting').length > 2)).toEqual([]);
});

it('writes above the question that a person is answering', async () => {
  let shown = '';
  const err = Object.assign(
    new Writable({
      write(chunk, _, done) {
        shown += String(chunk);
        done();
      },
    }),
    { isTTY: true, columns: 60 },
  );
  const input = Object.assign(new PassThrough(), { isTTY: true });
  const terminal = new Terminal({ out: err, err, in: input, env: {}, clock: new ManualClock() });
  const confirmed = terminal.confirm('Run 7 events again?');
  input.write('ye');
  await expect.poll(() => shown).toContain('ye');
  const before = shown.length;
  await terminal.line('a note');
  const [above, below] = shown.slice(before).split('\n');
  expect(above).toBe('\r\u001b[2Ka note');
  expect(below).toContain('Run 7 events again? [y/N] ye');
  input.write('s\n');
  expect(await confirmed).toBe(true);
});

it.each([60, 140])('wraps lines between words on a terminal of %i columns', async (columns) => {
  const { clock } = await hubInEnvironment();
  const ran = await exits(0, `menu ${EVENING}`, { clock, isTTY: true, columns });
  // biome-ignore lint/suspicious/noControlCharactersInRegex: an escape sequence
  const lines = ran.out.replace(/\u001b\[\d+m/g, '').split('\n');
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(columns);
  expect(lines.join(' ').replace(/\s+/g, ' ')).toContain('Crust (choose 0 to 1): Filled crust + R$ 9,90');
});

it('does not wrap the lines of the mock command that people copy', async () => {
  const ran = await exits(0, 'mock --port 0', { isTTY: true, columns: 60, failAfter: 9 });
  expect(ran.out).toMatch(/^ {2}curl -d 'client_id=1001\S+ http\S+$/m);
});
