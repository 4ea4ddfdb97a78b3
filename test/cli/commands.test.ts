import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileState } from 'opendelivery-client';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { hubInEnvironment, interrupt, opendelivery } from './support.js';

const SECRET = 'mock-client-secret';

afterEach(() => {
  vi.unstubAllEnvs();
});

describe('opendelivery', () => {
  it('helps everywhere, and ends with 0', async () => {
    for (const words of ['--help', 'mock --help', 'poll --help', 'token --help', 'doctor --help']) {
      const ran = opendelivery(words);
      expect(await ran.code, words).toBe(0);
      expect(ran.out).toContain('Usage: opendelivery');
    }
    const help = opendelivery('--help');
    await help.code;
    for (const code of [0, 1, 2, 3, 4, 5]) expect(help.out).toMatch(new RegExp(`^ {2}${code} {2}\\w`, 'm'));
  });

  it('tells its version', async () => {
    const ran = opendelivery('--version');
    expect(await ran.code).toBe(0);
    expect(ran.out).toBe('1.2.3\n');
  });

  it.each([
    ['', 'Usage'],
    ['mok', "unknown command 'mok'"],
    ['poll --acknowlege', "unknown option '--acknowlege'"],
    ['mock --port 70000', 'port, 0 to 65535'],
    ['mock --scale 0', 'a number above 0'],
    ['mock --faults 2', 'a number of 0 to 1'],
    ['mock --script morning', 'Allowed choices are evening'],
    ['mock --store nowhere.json', 'nowhere.json cannot be read'],
    ['token --env nowhere.env', 'nowhere.env cannot be read'],
    ['token --base-url https://hub.example --header broken', "must be 'name: value'"],
    ['token --base-url http://hub.example', 'baseUrl'],
  ])('refuses `%s` with 2 and says why', async (words, reason) => {
    vi.stubEnv('HUB_BASE_URL', '');
    const ran = opendelivery(words);
    expect(await ran.code).toBe(2);
    expect(ran.err).toContain(reason);
    expect(ran.out).toBe('');
  });
});

describe('opendelivery token', () => {
  it('tells the expiry, never the token', async () => {
    const { clock, mock } = await hubInEnvironment();
    const ran = opendelivery('token', { clock });
    expect(await ran.code).toBe(0);
    expect(ran.out).toContain('good: the token lasts 7 d, until 2026-01-12T12:00:00.000Z');
    const json = opendelivery('token --json', { clock });
    expect(await json.code).toBe(0);
    expect(JSON.parse(json.out)).toEqual({ ok: true, expiresAt: '2026-01-12T12:00:00.000Z' });
    expect(mock.requests).toHaveLength(2);
    for (const text of [ran.out, ran.err, json.out, json.err])
      expect(text).not.toMatch(/mock\.1001\.|secret/);
  });

  it.each([
    ['refused credentials', 3, { HUB_CLIENT_SECRET: 'wrong' }, 'check clientId and clientSecret'],
    ['missing credentials', 2, { HUB_CLIENT_SECRET: '' }, 'clientSecret'],
    ['a hub out of reach', 4, { HUB_BASE_URL: 'http://127.0.0.1:1' }, 'ECONNREFUSED'],
  ])('ends with its own code for %s', async (_, code, variables, reason) => {
    const { clock } = await hubInEnvironment();
    for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
    const ran = opendelivery('token', { clock });
    await clock.advance('5m');
    expect(await ran.code).toBe(code);
    expect(ran.err).toContain(reason);
  });

  it('reads the file it is given, and the environment wins over it', async () => {
    const { clock, mock, url } = await hubInEnvironment();
    const directory = mkdtempSync(join(tmpdir(), 'cli-'));
    try {
      const file = join(directory, 'hub.env');
      writeFileSync(
        file,
        `# a store\nHUB_BASE_URL="${url}"\nHUB_CLIENT_ID=1001\nHUB_CLIENT_SECRET=${SECRET}\n`,
      );
      for (const name of ['HUB_BASE_URL', 'HUB_CLIENT_ID', 'HUB_CLIENT_SECRET']) vi.stubEnv(name, '');
      expect(await opendelivery(`token --env ${file}`, { clock }).code).toBe(0);
      vi.stubEnv('HUB_CLIENT_SECRET', 'wrong');
      expect(await opendelivery(`token --env ${file}`, { clock }).code).toBe(3);
      expect(mock.requests).toHaveLength(2);
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
});

describe('opendelivery --state', () => {
  it('keeps the token from run to run', async () => {
    const { clock, mock } = await hubInEnvironment();
    const directory = mkdtempSync(join(tmpdir(), 'cli-'));
    try {
      for (let count = 0; count < 3; count += 1) {
        const ran = opendelivery(`token --state ${directory}`, { clock });
        expect(await ran.code).toBe(0);
        expect(ran.err.includes('the hub was not asked')).toBe(count > 0);
      }
      expect(mock.requests).toHaveLength(1);
    } finally {
      await fileState(directory).close();
      rmSync(directory, { recursive: true });
    }
  });
});

describe('opendelivery poll', () => {
  it('shows what is new at each poll, and acknowledges nothing', async () => {
    const { clock, mock } = await hubInEnvironment();
    const first = mock.createOrder();
    const ran = opendelivery('poll', { clock });
    await clock.advance('10s');
    expect(ran.err).toContain('nothing is acknowledged');
    expect(ran.out.split('\n')).toHaveLength(2);
    expect(ran.out).toContain(`order ${first.orderId}`);
    const second = mock.emit('CANCELLED', { orderId: first.orderId });
    await clock.advance('5m');
    expect(ran.out.split('\n')).toHaveLength(3);
    expect(ran.out).toContain(second.eventId);
    interrupt();
    expect(await ran.code).toBe(0);
    expect(mock.acknowledged()).toEqual([]);
    expect(mock.pending()).toHaveLength(2);
    expect(mock.violations()).toEqual([]);
    expect(mock.requests.filter(({ endpoint }) => endpoint === 'polling').length).toBeGreaterThan(9);
  });

  it('writes one JSON document a line, and nothing else, for pipes', async () => {
    const { clock, mock } = await hubInEnvironment();
    mock.createOrder();
    mock.emit('A_TYPE_OF_TOMORROW');
    const ran = opendelivery('poll --once --json', { clock });
    expect(await ran.code).toBe(0);
    const events = ran.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { eventType: string });
    expect(events.map(({ eventType }) => eventType)).toEqual(['CREATED', 'A_TYPE_OF_TOMORROW']);
  });

  it('acknowledges each event it has written with --acknowledge', async () => {
    const { clock, mock } = await hubInEnvironment();
    for (let count = 0; count < 3; count += 1) mock.createOrder();
    const ran = opendelivery('poll --acknowledge', { clock });
    await clock.advance('10s');
    mock.createOrder();
    await clock.advance('1m');
    expect(ran.out.trim().split('\n')).toHaveLength(4);
    expect(mock.pending()).toEqual([]);
    interrupt();
    expect(await ran.code).toBe(0);
    expect(ran.err).toContain('4 acknowledged, 0 left at the hub');
    expect(mock.violations()).toEqual([]);
  });

  it.each(['', ' --once'])(
    'leaves at the hub what nobody reads any more (poll --acknowledge%s)',
    async (once) => {
      const { clock, mock } = await hubInEnvironment();
      for (let count = 0; count < 5; count += 1) mock.createOrder();
      const ran = opendelivery(`poll --acknowledge --json${once}`, { clock, failAfter: 2 });
      await clock.advance('10s');
      expect(await ran.code).toBe(0);
      const written = ran.out
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { eventId: string }).eventId);
      expect(written).toHaveLength(2);
      expect(
        mock
          .acknowledged()
          .map(({ eventId }) => eventId)
          .sort(),
      ).toEqual(written.sort());
      expect(mock.pending()).toHaveLength(3);
    },
  );

  it('goes on while the hub fails, and says so', async () => {
    const { clock, mock } = await hubInEnvironment();
    mock.faults.next('polling', 503, 5);
    const ran = opendelivery('poll', { clock });
    mock.createOrder();
    await clock.advance('5m');
    expect(ran.err).toContain('503');
    expect(ran.out).toContain('CREATED');
    interrupt();
    expect(await ran.code).toBe(0);
    expect(mock.violations()).toEqual([]);
  });

  it.each(['poll', 'poll --acknowledge'])(
    '`%s` ends with 3 when the credentials are refused',
    async (words) => {
      const { clock } = await hubInEnvironment();
      vi.stubEnv('HUB_CLIENT_SECRET', 'wrong');
      expect(await opendelivery(words, { clock }).code).toBe(3);
    },
  );

  it('shows colour and a line that moves at a terminal, and neither to a pipe', async () => {
    const { clock, mock } = await hubInEnvironment();
    mock.createOrder();
    const ran = opendelivery('poll', { clock, isTTY: true });
    await clock.advance('25s');
    expect(ran.err).toMatch(/next poll in \d+ s · 1 of 2 polls left this minute · 1 events so far/);
    expect(ran.out).toContain('\u001b[32mCREATED');
    interrupt();
    await ran.code;
    expect(ran.err.endsWith('\u001b[2K')).toBe(true);
    const piped = opendelivery('poll --once', { clock });
    await clock.advance('1m');
    await piped.code;
    expect(piped.out + piped.err).not.toContain('\u001b');
  });

  it('does not let a hub move the cursor of a terminal', async () => {
    const { clock, mock } = await hubInEnvironment();
    mock.emit('CREATED\u001b[2J', { orderId: 'a\rb' });
    const ran = opendelivery('poll --once', { clock });
    await ran.code;
    expect(ran.out).not.toContain('\r');
    expect(ran.out).not.toContain('\u001b');
  });
});

describe('opendelivery doctor', () => {
  it('tries each endpoint once and tells what the hub does', async () => {
    const { clock, mock } = await hubInEnvironment({
      emptyPoll: '[]',
      limitHeaders: false,
      expiresIn: 'text',
    });
    mock.publishMerchant((merchant) => {
      delete merchant.items[0].status;
      merchant.items[1].unit = 'SLICE';
    });
    const ran = opendelivery('doctor', { clock });
    expect(await ran.code).toBe(0);
    for (const said of [
      'ok       token (Spec §4.1)',
      'says the lifetime as a string',
      'no events: 200 with []',
      'answers 404 to an id it cannot know',
      'refuses an id it cannot know',
      'sends no X-RateLimit headers',
      'items.*.unit',
    ]) {
      expect(ran.out).toContain(said);
    }
    expect(mock.requests.map(({ endpoint }) => endpoint)).toEqual([
      'token',
      'polling',
      'order',
      'acknowledgment',
      'orderStatus',
      'merchant',
    ]);
    expect(mock.violations()).toEqual([]);
    expect(ran.out + ran.err).not.toMatch(/mock\.1001\.|mock-client-secret|mock-api-key/);
  });

  it('confirms nothing of what it finds, and writes nothing with --read-only', async () => {
    const { clock, mock } = await hubInEnvironment();
    const { orderId } = mock.createOrder();
    expect(await opendelivery('doctor --read-only', { clock }).code).toBe(0);
    expect(mock.pending()).toHaveLength(1);
    expect(mock.requests.map(({ endpoint }) => endpoint)).toEqual(['token', 'polling', 'order', 'merchant']);
    expect(mock.requests[2]?.path).toContain(orderId);
  });

  it('looks at what there are credentials for, and ends with the code of what failed first', async () => {
    const { clock, mock } = await hubInEnvironment();
    vi.stubEnv('HUB_API_KEY', '');
    mock.faults.next('polling', { status: 429, headers: { 'retry-after': '60' } });
    const ran = opendelivery('doctor --json', { clock });
    expect(await ran.code).toBe(5);
    const { findings, overall } = JSON.parse(ran.out) as {
      findings: { endpoint: string; result: string }[];
      overall: string[];
    };
    expect(findings.map(({ endpoint, result }) => [endpoint, result])).toEqual([
      ['token', 'ok'],
      ['polling', 'failed'],
      ['order', 'ok'],
      ['acknowledgment', 'ok'],
      ['orderStatus', 'ok'],
      ['merchant', 'skipped'],
    ]);
    expect(overall.join()).toContain('Retry-After: 60');
  });

  it('goes no further than the token where that is refused', async () => {
    const { clock, mock } = await hubInEnvironment();
    vi.stubEnv('HUB_CLIENT_SECRET', 'wrong');
    const ran = opendelivery('doctor', { clock });
    expect(await ran.code).toBe(3);
    expect(mock.requests.map(({ endpoint }) => endpoint)).toEqual(['token', 'merchant']);
  });
});
