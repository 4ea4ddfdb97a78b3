import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ManualClock } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { soon } from '../../soon.js';
import { temporaryDirectory } from '../../temporary.js';
import { exits, interrupt, opendelivery, printedIn } from '../support.js';
import { readJUnit } from './junit.js';

/** Runs a mock hub while `work` lasts, and ends it with a signal. */
async function run(
  options: string,
  work: (url: string, clock: ManualClock) => Promise<unknown>,
  signal = interrupt,
) {
  const clock = new ManualClock();
  const ran = opendelivery(`mock --port 0 ${options}`, { clock });
  await soon(() => expect(ran.out).toContain('/_mock/orders'));
  await work(printedIn(ran.out).baseUrl, clock);
  signal();
  return { code: await ran.code, err: ran.err };
}

const breakRule = (url: string) => fetch(`${url}/opendelivery/v1/menus`);
const post = (url: string, path: string, body?: object) =>
  fetch(`${url}/_mock/${path}`, { method: 'POST', ...(body && { body: JSON.stringify(body) }) });
const nothing = async () => {};
const terminate = () => void process.emit('SIGTERM');

describe('opendelivery mock --fail-on-violations', () => {
  it.each([
    ['SIGINT', interrupt],
    ['SIGTERM', terminate],
  ])('exits with 1 on %s if a rule was broken, and with 0 if not', async (_name, signal) => {
    const failed = await run('--fail-on-violations', breakRule, signal);
    expect(failed).toEqual({
      code: 1,
      err: 'your application has broken the rules of the hub 1 time. The first: GET /opendelivery/v1/menus is not an endpoint of the spec\n',
    });
    const passed = await run('--fail-on-violations', nothing, signal);
    expect(passed).toEqual({ code: 0, err: 'your application has broken no rule of the hub\n' });
  });

  it('exits with 0 without the option, also with a report', async () => {
    const file = join(temporaryDirectory(), 'junit.xml');
    expect((await run('', breakRule)).code).toBe(0);
    expect((await run(`--violations ${file}`, breakRule)).code).toBe(0);
    expect(readJUnit(file)).toHaveLength(1);
  });

  it('counts what was broken before a reset, because suites reset before each test', async () => {
    const { code } = await run('--fail-on-violations', async (url) => {
      await breakRule(url);
      await post(url, 'reset');
    });
    expect(code).toBe(1);
  });

  it('counts an order that nobody has answered in time, and no younger one', async () => {
    const late = (advance: string) => async (url: string, clock: ManualClock) => {
      await post(url, 'orders');
      await clock.advance(advance);
      await post(url, 'stores/1001/reset');
    };
    expect((await run('--fail-on-violations', late('10m'))).code).toBe(1);
    expect((await run('--fail-on-violations', late('9m'))).code).toBe(0);
  });
});

describe('opendelivery mock --violations', () => {
  const path = () => join(temporaryDirectory(), 'junit.xml');

  it('writes a test that has passed if no rule was broken', async () => {
    const file = path();
    await run(`--violations ${file}`, nothing, terminate);
    expect(readJUnit(file)).toEqual([{ name: 'no rule was broken' }]);
  });

  it('writes a failed test for each violation, those before a reset included', async () => {
    const file = path();
    const { code, err } = await run(`--violations ${file} --fail-on-violations`, async (url) => {
      await breakRule(url);
      await post(url, 'reset');
      await fetch(`${url}/opendelivery/v1/merchant?x=1`);
    });
    expect([code, err]).toEqual([1, expect.stringContaining(`2 times; ${file} lists them`)]);
    const message = 'GET /opendelivery/v1/menus is not an endpoint of the spec';
    expect(readJUnit(file)).toEqual([
      {
        name: 'unknown-path (violation 1)',
        failure: {
          message,
          type: 'unknown-path',
          text: `${message}\nat 2026-01-05T12:00:00.000Z on the clock of the mock hub`,
        },
      },
      { name: 'event-filter (violation 2)', failure: expect.objectContaining({ type: 'event-filter' }) },
    ]);
  });

  const MARKUP = `"><failure/>&amp;<![CDATA[' ]]>`;
  const ALPHABETS = 'ação 🍕 注文';

  it.each([
    ['markup', MARKUP, MARKUP],
    ['other alphabets', ALPHABETS, ALPHABETS],
    [
      'characters that XML cannot contain',
      'a\u0000b\u001bc\ufffe\uffff\ud800',
      'a\ufffdb\ufffdc\ufffd\ufffd\ufffd',
    ],
  ])('escapes %s', async (_what, orderId, shown) => {
    const file = path();
    await run(`--violations ${file}`, async (url, clock) => {
      await post(url, 'orders', { orderId });
      await clock.advance('10m');
    });
    const [test] = readJUnit(file);
    expect(test?.failure?.message).toContain(`order ${shown} got neither`);
    expect(test?.failure?.text).toContain(`order ${shown} got neither`);
  });

  it('empties the file of an earlier run at once, so that nobody reads it after a crash', async () => {
    const file = path();
    writeFileSync(file, '<testsuites tests="1" failures="0"/>');
    await run(`--violations ${file}`, async () => expect(readFileSync(file, 'utf8')).toBe(''));
  });

  it('is written also if the script fails', async () => {
    const directory = temporaryDirectory();
    const [file, script] = [join(directory, 'junit.xml'), join(directory, 'script.json')];
    writeFileSync(script, JSON.stringify({ steps: [{ at: 0, request: 'POST events', body: {} }] }));
    await exits(2, `mock --port 0 --violations ${file} --script ${script}`);
    expect(readJUnit(file)).toHaveLength(1);
  });

  it('is right also if nobody reads the lines when the script ends', async () => {
    const [file, script] = [path(), join(temporaryDirectory(), 'script.json')];
    writeFileSync(script, JSON.stringify({ steps: [{ at: '1m', request: 'POST orders' }] }));
    const line = `mock --port 0 --fail-on-violations --violations ${file}`;
    const welcomed = opendelivery(line);
    await soon(() => expect(welcomed.out).toMatch(/_mock\/orders\n\n$/));
    interrupt();
    await welcomed.code;
    // One more line says that the script runs.
    const failAfter = welcomed.out.split('\n').length;
    const clock = new ManualClock();
    const ran = opendelivery(`${line} --script ${script}`, { clock, failAfter });
    await soon(() => expect(ran.out).toContain('/_mock/orders'));
    await clock.advance('2m');
    await breakRule(printedIn(ran.out).baseUrl);
    interrupt();
    expect(await ran.code).toBe(1);
    expect(readJUnit(file).filter(({ failure }) => failure)).toHaveLength(1);
  });

  it('exits with 2 before it listens if the file cannot be written', async () => {
    const directory = join(temporaryDirectory(), 'junit.xml');
    mkdirSync(directory);
    for (const [file, reason] of [
      [directory, 'it is a directory; use a file'],
      [join(directory, 'missing', 'junit.xml'), 'no such file or directory; check the path'],
    ]) {
      const ran = await exits(2, `mock --port 0 --violations ${file}`);
      expect(ran.err).toBe(`error: --violations: ${file} cannot be written: ${reason}\n`);
      expect(ran.out).toBe('');
    }
  });
});
