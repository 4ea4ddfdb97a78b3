import type { FleetStore } from 'opendelivery-client';
import { ManualClock } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { fleetStage, stores } from '../fleet/support.js';
import { served } from '../temporary.js';
import { endless } from './hostile.js';
import { exits, interrupt, opendelivery } from './support.js';

/** Publishes a text as an application does. */
const published = async (text: () => string, status = () => 200) =>
  `${await served((_request, response) => void response.writeHead(status()).end(text()))}/health`;

/** A running fleet of which one store is refused, and one fails. */
async function fleetInTrouble() {
  const [first, second, third] = stores(3) as [FleetStore, FleetStore, FleetStore];
  const { clock, fleet, mock } = fleetStage([first, second, third], {
    stores: [first, { ...second, clientSecret: 'wrong' }, third],
  });
  fleet.on('event', () => {});
  fleet.on('error', () => {});
  void fleet.start().catch(() => {});
  await clock.advance('31s');
  mock.faults.next('polling', 503, 2);
  await clock.advance('31s');
  const health = () =>
    JSON.stringify({
      fleet: fleet.health(),
      stores: Object.fromEntries(
        [0, 1, 2].map((index) => [`store-${index}`, fleet.health(`store-${index}`)]),
      ),
    });
  return { clock, fleet, mock, health };
}

const ESCAPE = '\u001b';
const SEQUENCES = new RegExp(`${ESCAPE}\\[[?\\d;]*[A-Za-z]`, 'g');

/** The last page on the screen, without escape sequences. */
const pageOf = (out: string) =>
  (out.split(`${ESCAPE}[H`).at(-1) ?? '').replaceAll(SEQUENCES, '').replaceAll('\r', '').split('\n');

describe('opendelivery top', () => {
  it('prints all stores of a fleet once with --once, those that need attention first', async () => {
    const { health, clock } = await fleetInTrouble();
    const url = await published(health);
    const ran = await exits(0, `top --url ${url} --once`, { clock });
    const [, totals, events, , titles, ...rows] = ran.out.trim().split('\n');
    expect(totals).toBe('3 stores: 0 polling, 2 backing off, 1 refused, 0 on standby');
    expect(events).toMatch(/^oldest poll .+ ago, 0 listeners running, 0 events open$/);
    expect(titles).toMatch(
      /^store +status +polled ago +next in +failed +open +open for +running +handled +last error$/,
    );
    for (const row of rows.slice(0, 2))
      expect(row).toMatch(/^store-[02] +backing off .* polling: the hub responded with 503/);
    expect(rows[2]).toMatch(/^store-1 +refused +never .* token: the hub responded with 401/);
    expect(ran.out).not.toContain('\u001b');
  });

  it('ranks failing listeners first, then stores by how long orders may have waited, then those that are refused', async () => {
    const clock = new ManualClock();
    const ago = (ms: number) => ({ lastPolledAt: clock.now() - ms, consecutiveFailures: 0 });
    const failed = { consecutiveFailures: 3, lastError: { code: 'authentication', message: 'refused' } };
    const listenerError = { name: 'TypeError', message: 'no printer' };
    const health = {
      stores: 8,
      oldestPollMs: 180_000,
      oldestPollStoreId: 'failing-poll',
      newestPollMs: 2000,
      unacknowledged: 2,
      oldestOpenMs: 600_000,
      oldestOpenStoreId: 'open-event',
    };
    const url = await published(() =>
      JSON.stringify({
        fleet: health,
        stores: {
          standby: { status: 'standby', ...ago(86_400_000), oldestOpenMs: 86_400_000 },
          new: { status: 'starting' },
          fresh: { status: 'running', ...ago(2000) },
          due: { status: 'running', ...ago(29_000) },
          'refused-poll': { status: 'running', ...ago(86_400_000), ...failed },
          'failing-poll': { status: 'running', ...ago(180_000), consecutiveFailures: 2 },
          'open-event': { status: 'running', ...ago(1000), unacknowledged: 1, oldestOpenMs: 600_000 },
          'failing-listener': { status: 'running', ...ago(1000), unacknowledged: 1, listenerError },
        },
      }),
    );
    const ran = await exits(0, `top --url ${url} --once`, { clock });
    const [, , events, , titles, ...rows] = ran.out.trim().split('\n');
    expect(events).toBe(
      'oldest poll 3 min ago (failing-poll), newest 2 s ago, 0 listeners running, 2 events open, the oldest for 10 min (open-event)',
    );
    expect(titles).toContain('open for');
    expect(rows.map((row) => row.split(' ', 1)[0])).toEqual([
      'failing-listener',
      'open-event',
      'failing-poll',
      'refused-poll',
      'new',
      'due',
      'fresh',
      'standby',
    ]);
    expect(rows[0]).toMatch(/ no printer$/);
    expect(rows[1]).toMatch(/ 10 min /);
  });

  it('stops reading a response that has no end', { tags: 'slow' }, async () => {
    const { respond, written } = endless();
    const url = await served(respond);
    const ran = await exits(2, `top --url ${url} --once`);
    expect(ran.err).toContain('cannot be read: the response is larger than 64 MiB; check the address');
    expect(written()).toBeLessThan(128 * 1024 * 1024);
  });

  it('fills a terminal and updates it, until Ctrl-C', async () => {
    const clock = new ManualClock();
    let handled = 0;
    const names = Array.from({ length: 100 }, (_, index) => `store-${index}`);
    const health = () =>
      JSON.stringify({
        fleet: { stores: 100, polling: 100 },
        stores: Object.fromEntries(
          names.map((name) => [name, { status: 'running', handled: (handled += 1) }]),
        ),
      });
    const url = await published(health);
    const ran = opendelivery(`top --url ${url} --interval 5`, { clock, isTTY: true, columns: 130, rows: 20 });
    await clock.advance('1s');
    expect(ran.out.startsWith('\u001b[?1049h')).toBe(true);
    expect(pageOf(ran.out)).toHaveLength(20);
    expect(pageOf(ran.out).at(-1)).toBe('… and 86 more stores');
    expect(pageOf(ran.out)[5]).toMatch(/^store-0 +running +never .* 1 +$/);
    await clock.advance('5s');
    expect(pageOf(ran.out)[5]).toMatch(/^store-0 +running +never .* 101 +$/);
    interrupt();
    expect(await ran.code).toBe(0);
    expect(ran.out.endsWith('\u001b[?1049l')).toBe(true);
  });

  it.each([40, 80, 100, 120, 200])('fits into %s columns', async (columns) => {
    const { health } = await fleetInTrouble();
    const url = await published(health);
    const clock = new ManualClock();
    const ran = opendelivery(`top --url ${url}`, { clock, isTTY: true, columns });
    await clock.advance('1s');
    const page = pageOf(ran.out);
    expect(page).toHaveLength(8);
    expect(page[5]).toMatch(/^store-[02] +backing off/);
    for (const line of page) expect([...line].length).toBeLessThanOrEqual(columns);
    interrupt();
    await ran.code;
  });

  it.each([40, 120])(
    'keeps the last page while the application does not respond, and says so in %s columns',
    async (columns) => {
      const clock = new ManualClock();
      let status = 200;
      const url = await published(
        () => '{"fleet":{"stores":7}}',
        () => status,
      );
      const ran = opendelivery(`top --url ${url}`, { clock, isTTY: true, columns });
      const text = () => pageOf(ran.out).join('\n').replace(/\n +/g, ' ');
      await clock.advance('1s');
      status = 500;
      await clock.advance('2s');
      expect(text()).toContain('7 stores');
      expect(text()).toContain('cannot be read: the response has status 500');
      status = 503;
      await clock.advance('2s');
      expect(text()).not.toContain('cannot be read');
      interrupt();
      expect(await ran.code).toBe(0);
    },
  );

  it('shows no control characters of an application', async () => {
    const health = {
      fleet: { stores: 1 },
      stores: { 'a\u001b[2Jb': { lastError: { message: '\u202e\u0007' } } },
    };
    const url = await published(() => JSON.stringify(health));
    const ran = await exits(0, `top --url ${url} --once`);
    expect(ran.out).toContain('a\ufffd[2Jb');
    for (const character of [ESCAPE, '\u0007', '\u202e']) expect(ran.out).not.toContain(character);
  });

  it.each(['[]', 'null', '"x"', '<html>', '{"fleet":{}}', '{"fleet":{"stores":1},"stores":[]}'])(
    'exits with 2 if the application publishes %s',
    async (text) => {
      const url = await published(() => text);
      const ran = await exits(2, `top --url ${url}`);
      expect(ran.err).toContain('must serve { "fleet": fleet.health()');
    },
  );

  it.each([
    ['top', "required option '--url <url>'"],
    ['top --url ftp://127.0.0.1/', 'http or https'],
    ['top --url http://127.0.0.1:1/ --interval 0', 'from 1 to 3600'],
    ['top --url http://127.0.0.1:1/', 'cannot be read'],
  ])('`%s` exits with 2 and says what is wrong', async (commandLine, message) => {
    const ran = await exits(2, commandLine);
    expect(ran.err).toContain(message);
  });

  it('gives up after five seconds without a response', async () => {
    const url = await served(() => {});
    // Not a manual clock: it would wait for the response.
    let time = 0;
    const sleep = async (ms: number) => void (time += ms);
    const clock = { now: () => time, monotonic: () => time, sleep };
    const ran = await exits(2, `top --url ${url}`, { clock });
    expect(ran.err).toContain('no complete response within 5000 ms');
  });
});
