import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { systemClock } from 'opendelivery-client';
import { describe, expect, it } from 'vitest';
import { soon } from '../soon.js';
import { fileWith } from '../temporary.js';
import { send } from '../testing/console/support.js';
import { exits, opendelivery, printedIn, servedMock as served } from './support.js';

const control = (url: string, path: string, method = 'GET', body?: unknown) => send(url, method, path, body);

describe('opendelivery mock', () => {
  it('prints its credentials, and curl commands that work', async () => {
    const { ran, url } = await served();
    const [, key = '', address = ''] = /curl -H 'x-api-key: ([^']+)' (\S+)/.exec(ran.out) ?? [];
    const response = await fetch(address, { headers: { 'x-api-key': key } });
    expect(response.status).toBe(200);
    expect(((await response.json()) as { basicInfo: { name: string } }).basicInfo.name).toBe('Forno da Vila');
    const [, form = ''] = /curl -d '([^']+)'/.exec(ran.out) ?? [];
    const token = await fetch(`${url}/opendelivery/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams(form),
    });
    expect(token.status).toBe(200);
  });

  it('prints a trigger command that works', async () => {
    const { ran, url, clock } = await served();
    const [, words = ''] = /npx opendelivery (trigger .+)/.exec(ran.out) ?? [];
    await exits(0, words, { clock });
    expect((await control(url, 'events')).body.pending).toHaveLength(1);
  });

  it('exits at once with 0 on SIGTERM, also with open connections', async () => {
    const ran = opendelivery('mock --port 0');
    await soon(() => expect(ran.out).toContain('/_mock/orders'));
    const { baseUrl: url } = printedIn(ran.out);
    await control(url, 'faults', 'POST', { endpoint: 'merchant', fault: 'hang' });
    const hanging = fetch(`${url}/opendelivery/v1/merchant`, { headers: { 'x-api-key': 'mock-api-key' } });
    hanging.catch(() => {});
    await soon(async () => expect((await control(url, 'requests')).body).toHaveLength(1));
    process.emit('SIGTERM');
    expect(await ran.code).toBe(0);
    await expect(hanging).rejects.toThrow();
  });

  it('fails at random with --faults, and the same way for the same seed', { tags: 'slow' }, async () => {
    const statuses = async () => {
      const { url } = await served('--faults 0.5 --seed 7');
      const seen: unknown[] = [];
      for (let count = 0; count < 8; count += 1) {
        const response = fetch(`${url}/opendelivery/v1/merchant`, { signal: AbortSignal.timeout(300) });
        seen.push(
          await response.then(
            ({ status }) => status,
            () => 'broken',
          ),
        );
      }
      const { body } = await control(url, 'requests');
      return (body as { fault?: { type: string } }[]).map(({ fault }) => fault?.type);
    };
    const first = await statuses();
    expect(first.filter(Boolean).length).toBeGreaterThan(1);
    expect(await statuses()).toEqual(first);
  });

  it('runs the script evening', async () => {
    const { ran, url, clock } = await served('--script evening');
    await clock.advance('100m');
    expect(ran.out).toContain("the script 'evening' has ended");
    const { body } = await control(url, 'events');
    expect(body.emitted.length).toBe(48 + 43 + 42 + 2 + 42);
  });

  it.each([
    ['{}', 'steps: is missing; it must be an array'],
    ['{ "steps": [{ "at": "soon", "request": "POST orders" }] }', 'steps[0].at: "soon" is not a duration'],
    ['nothing', 'is not valid JSON'],
    [
      '{ "steps": [{ "at": "2h", "request": "POST nope" }] }',
      'script.json: step 1 (POST nope): the control API',
    ],
  ])('refuses the script %s', async (text, reason) => {
    const file = fileWith(text, 'script.json');
    const ran = await exits(2, `mock --port 0 --script ${file}`);
    expect(ran.err).toContain(reason);
  });

  it('ends with 2 at a step whose body is wrong, and names the file', async () => {
    const steps = [{ at: '1m', request: 'POST orders', body: { type: 'X' } }];
    const file = fileWith(JSON.stringify({ steps }), 'script.json');
    const { ran, clock } = await served(`--script ${file}`);
    await clock.advance('1m');
    expect(await ran.code).toBe(2);
    expect(ran.err).toContain(`--script: ${file}: step 1 (POST orders): type: must be one of`);
  });

  it('behaves as its switches say, below another base path', async () => {
    const { ran, url } = await served('--base-path /hub/v2 --bad-key-status 403 --strict-bodies');
    const [, key = '', address = ''] = /curl -H 'x-api-key: ([^']+)' (\S+)/.exec(ran.out) ?? [];
    expect(address).toBe(`${url}/hub/v2/v1/merchant`);
    expect((await fetch(address, { headers: { 'x-api-key': key } })).status).toBe(200);
    expect((await fetch(address, { headers: { 'x-api-key': 'wrong' } })).status).toBe(403);
    expect((await fetch(`${url}/opendelivery/v1/merchant`)).status).toBe(404);
    expect(ran.out).toContain("the base path is '/hub/v2': set the option basePath of your client");
  });

  it.each(['hub', '/hub?x'])('exits with 2 for the base path %j', async (path) => {
    const ran = await exits(2, ['mock', '--port', '0', '--base-path', path].join(' '));
    expect(ran.err).toContain('--base-path: must be a path such as');
  });

  it('runs its clock faster with --scale', async () => {
    const { url } = await served('--scale 100000');
    await control(url, 'orders', 'POST');
    await control(url, 'orders', 'POST');
    const { body } = await control(url, 'events');
    const [one, other] = body.emitted.map(({ createdAt }: { createdAt: string }) => Date.parse(createdAt));
    expect(other - one).toBeGreaterThan(50);
  });

  it.each([
    ['a merchant document', { id: 'x', basicInfo: { name: 'Mine' } }],
    [
      'stores',
      { stores: [{ clientId: '1001', clientSecret: 's', apiKey: 'mock-api-key', merchant: { id: 'x' } }] },
    ],
    [
      'stores whose menus are files',
      { stores: [{ clientId: '7', clientSecret: 's', apiKey: 'mock-api-key', merchant: 'menu.json' }] },
    ],
  ])('loads %s', async (_, content) => {
    const file = fileWith(JSON.stringify(content), 'store.json');
    writeFileSync(join(dirname(file), 'menu.json'), JSON.stringify({ id: 'x' }));
    const { url } = await served(`--store ${file}`);
    const response = await fetch(`${url}/opendelivery/v1/merchant`, {
      headers: { 'x-api-key': 'mock-api-key' },
    });
    expect(((await response.json()) as { id: string }).id).toBe('x');
  });

  it('stands still at --scale 0 until a request advances its clock', async () => {
    const { ran, url } = await served('--scale 0', undefined, systemClock);
    expect(ran.out).toContain(`the hub's clock stands still; POST ${url}/_mock/clock advances it`);
    const { body: before } = await control(url, 'clock');
    await control(url, 'clock', 'POST', { advance: '7d' });
    const { body: after } = await control(url, 'clock');
    expect(after.now - before.now).toBe(604_800_000);
  });

  it.each(['-1', 'Infinity', ''])('exits with 2 for --scale=%s', async (scale) => {
    const ran = await exits(2, `mock --port 0 --scale=${scale}`);
    expect(ran.err).toContain('must be a number of at least 0');
  });

  it('says in one sentence that its port is in use, and what to do', async () => {
    const { url } = await served();
    const { port } = new URL(url);
    const ran = await exits(2, `mock --port ${port}`);
    expect(ran.err).toBe(
      `error: --port: port ${port} is already in use; stop the program that uses it, or choose another port with --port (0 picks a free port)\n`,
    );
    expect(ran.out).toBe('');
    expect(process.listenerCount('SIGTERM')).toBe(1);
  });

  it('exits when the pipe is closed, and releases its port', async () => {
    const ran = await exits(0, 'mock --port 0', { failAfter: 3 });
    const { baseUrl: url } = printedIn(ran.out);
    await expect(fetch(url)).rejects.toThrow();
  });

  const store = { clientId: '7', clientSecret: 's', apiKey: 'k' };

  it.each<[string, unknown, string]>([
    ['that is not an object', [], ': must be an object; it is an array'],
    ['whose stores are not an array', { stores: {} }, ': stores: must be an array; it is an object'],
    ['without stores', { stores: [] }, ': stores: must have at least 1 entry'],
    ['with null as a store', { stores: [null] }, ': stores[0]: must be an object; it is null'],
    [
      'with several mistakes',
      { stores: [{ ...store, clientSecret: 5, apikey: 'k' }, { ...store, apiKey: '' }, 'x'], store },
      [
        ': stores[0].clientSecret: must be a non-empty string; it is a number',
        'stores[0].apikey: is not a known key; the keys are clientId, clientSecret, apiKey, merchant',
        'stores[1].apiKey: must be a non-empty string',
        'stores[2]: must be an object; it is a string',
        'store: is not a known key; the keys are stores',
      ].join('. '),
    ],
    [
      'with a line break in a secret',
      { stores: [{ ...store, apiKey: 'key\n' }] },
      ': stores[0].apiKey: must be a string without control characters; look for a stray line break',
    ],
    [
      'whose menu is neither an object nor the name of a file',
      { stores: [{ ...store, merchant: 5 }] },
      ': stores[0].merchant: must be an object or a string; it is a number',
    ],
  ])('exits with 2 for a store file %s, and names every mistake', async (_, content, mistakes) => {
    const file = fileWith(JSON.stringify(content), 'store.json');
    const ran = await exits(2, `mock --port 0 --store ${file}`);
    expect(ran.err).toBe(`error: --store: ${file}${mistakes}\n`);
  });

  it('exits with 2 for a menu file that is not an object, and names it', async () => {
    const file = fileWith(JSON.stringify({ stores: [{ ...store, merchant: 'menu.json' }] }), 'store.json');
    writeFileSync(join(dirname(file), 'menu.json'), '"x"');
    const ran = await exits(2, `mock --port 0 --store ${file}`);
    expect(ran.err).toBe(
      `error: --store: ${join(dirname(file), 'menu.json')}: must be an object; it is a string\n`,
    );
  });
});
