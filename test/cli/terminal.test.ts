import { PassThrough, Writable } from 'node:stream';
import { ManualClock } from 'opendelivery-client/testing';
import { expect, it } from 'vitest';
import { Terminal } from '../../src/cli/terminal.js';
import { soon } from '../soon.js';
import { exits, hubInEnvironment } from './support.js';

const EVENING = '--time-zone America/Sao_Paulo --at 2026-01-05T21:00-03:00';

const COLUMNS = 60;

/** A terminal, and what was written to it so far. */
function screen(written: (done: () => void) => void) {
  let shown = '';
  const stream = new Writable({
    write(chunk, _, done) {
      shown += String(chunk);
      written(done);
    },
  });
  return { stream: Object.assign(stream, { isTTY: true, columns: COLUMNS, rows: 30 }), shown: () => shown };
}

it('shows its status once, also if lines are written at the same time', async () => {
  // It calls back after everything has been written to it.
  const { stream, shown } = screen((done) => void setImmediate(done));
  const clock = new ManualClock();
  const terminal = new Terminal({ out: stream, err: stream, env: {}, clock });
  const writing = terminal.withStatus('waiting', async () => {
    await Promise.all([terminal.line('one'), terminal.line('two'), clock.sleep(2500)]);
  });
  await clock.advance('3s');
  await writing;
  const between = shown().split('\r\u001b[2K');
  expect(between.length).toBeGreaterThan(4);
  expect(between.filter((text) => text.split('waiting').length > 2)).toEqual([]);
});

it.each([
  'Run 7 events again?',
  'Does the application show the order #1003 with the complement, the table and the CPF of the customer?',
])('writes above the question that a person is answering: %s', async (question) => {
  const { stream: err, shown } = screen((done) => done());
  const columns = COLUMNS;
  const input = Object.assign(new PassThrough(), { isTTY: true });
  const terminal = new Terminal({ out: err, err, in: input, env: {}, clock: new ManualClock() });
  await terminal.line('before');
  const confirmed = terminal.confirm(question);
  input.write('ye');
  await soon(() => expect(shown()).toContain('ye'));
  await terminal.line('one');
  await Promise.all([terminal.line('two'), terminal.line('three')]);
  const rows = `${question} [y/N] ye`.match(new RegExp(`.{1,${columns}}`, 'g')) ?? [];
  expect(screenOf(shown(), columns)).toEqual([
    'before',
    'one',
    'two',
    'three',
    ...rows.map((row) => row.trimEnd()),
  ]);
  input.write('s\n');
  expect(await confirmed).toBe(true);
});

/** What is on a screen when this was written to it. */
function screenOf(written: string, columns: number): string[] {
  const rows: string[] = [''];
  let [y, x] = [0, 0];
  // biome-ignore lint/suspicious/noControlCharactersInRegex: an escape sequence
  for (const [part, count = '', command] of written.matchAll(/\u001b\[(\d*)([A-Z])|[\s\S]/g)) {
    if (command === 'A') y -= Number(count);
    else if (command === 'G') x = Number(count) - 1;
    else if (command === 'J') rows.splice(y, rows.length, (rows[y] ?? '').slice(0, x));
    else if (command === 'K') rows[y] = '';
    else if (part === '\r') x = 0;
    else if (part === '\n') [y, x] = [y + 1, 0];
    else {
      if (x >= columns) [y, x] = [y + 1, 0];
      const row = (rows[y] ?? '').padEnd(x);
      rows[y] = row.slice(0, x) + part + row.slice(x + 1);
      x += 1;
    }
  }
  return Array.from(rows, (row = '') => row.trimEnd());
}

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
