import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { deflateRawSync, gzipSync } from 'node:zlib';
import { ManualClock, type Recording } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { clientOf } from '../support.js';
import { fileWith, served } from '../temporary.js';
import { servedConsole } from '../testing/console/support.js';
import { recording } from './record/running.js';
import { exits, servedMock } from './support.js';

describe('opendelivery record', () => {
  it('leaves an earlier recording as it is if no request came', async () => {
    const { url: target } = await servedConsole();
    const { ran, file, finish } = await recording(target);
    writeFileSync(file, 'an earlier evening');
    expect(await finish()).toBe('an earlier evening');
    expect(ran.err).toContain(`Nothing was recorded; ${file} stays as it is.`);
  });

  it('records what an application does at its hub, and mock --replay plays it', async () => {
    const { mock, url: target } = await servedConsole();
    const { orderId } = mock.createOrder({ extraInfo: 'Portão azul, falar com Dona Ana' });
    const { url, file, ran, finish } = await recording(target);
    const { hub } = clientOf(mock, { baseUrl: url });
    await hub.merchant.get();
    const { events } = await hub.events.poll();
    expect(events[0]?.orderURL).toBe(`${url}/opendelivery/v1/orders/${orderId}`);
    await hub.orders.get(orderId);
    await hub.orders.confirm(orderId);
    await hub.events.poll();
    expect(mock.pending()).toHaveLength(2);
    const text = await finish();
    expect(ran.err).toContain('1 order, 1 event, 1 command');

    const { clientSecret, apiKey } = mock.credentials;
    for (const secret of [
      'mock.1001.',
      clientSecret,
      apiKey,
      'Ana',
      'Pinheiros',
      '99123',
      'Forno',
      orderId,
      target,
    ]) {
      expect(text + ran.out.replaceAll(target, ''), secret).not.toContain(secret);
    }
    const made = JSON.parse(text) as Recording;
    expect(made.commands).toMatchObject([{ command: 'confirm', state: 'CREATED', status: 202 }]);

    const { url: replayed } = await servedMock(`--replay ${file}`);
    const { hub: again } = clientOf(mock, { baseUrl: replayed });
    const [created] = (await again.events.poll()).events;
    expect(created).toMatchObject({ eventType: 'CREATED', eventId: made.events[0]?.event.eventId });
    await again.orders.confirm(created?.orderId ?? '');
    const [, confirmed] = (await again.events.poll()).events;
    expect(confirmed?.eventId).toBe(made.commands[0]?.events[0]?.event.eventId);
  });

  it('is written while it runs, and a full disk does not stop the application', async () => {
    const { mock, url: target } = await servedConsole();
    const clock = new ManualClock();
    const { url, ran, file, finish } = await recording(target, '', clock);
    const { hub } = clientOf(mock, { baseUrl: url });
    await hub.events.poll();
    const { orderId } = mock.createOrder();
    await clock.advance('1m');
    await hub.events.poll();
    const saved = JSON.parse(readFileSync(file, 'utf8')) as Recording;
    expect(saved).toMatchObject({ durationMs: 60_000, events: [{ event: { eventType: 'CREATED' } }] });
    rmSync(file);
    mkdirSync(file);
    await clock.advance('1m');
    await hub.orders.get(orderId);
    expect(ran.err).toContain('cannot be written');
    rmSync(file, { recursive: true });
    await finish();
  });

  it('passes redirects on, with its own address for that of the hub', async () => {
    const paths: (string | undefined)[] = [];
    const target = await served(({ url, headers }, response) => {
      paths.push(url);
      const location = url?.startsWith('/own') ? `http://${headers.host}/moved` : 'https://other.example/';
      response.writeHead(307, { location, 'x-hub': 'yes' }).end('moved');
    });
    const { url, finish } = await recording(target);
    const own = await fetch(`${url}/own?q=1`, { redirect: 'manual' });
    const other = await fetch(`${url}//other.example/x`, { redirect: 'manual' });
    expect([own.status, own.headers.get('location'), await own.text()]).toEqual([
      307,
      `${url}/moved`,
      'moved',
    ]);
    expect(own.headers.get('x-hub')).toBe('yes');
    expect(other.headers.get('location')).toBe('https://other.example/');
    expect(paths).toEqual(['/own?q=1', '//other.example/x']);
    await finish();
  });

  it('forwards bodies and headers, and reads what is compressed', async () => {
    const seen: unknown[] = [];
    const target = await served(async (incoming, response) => {
      let body = '';
      for await (const chunk of incoming) body += chunk;
      seen.push([incoming.method, incoming.headers['x-own'], incoming.headers.host, body]);
      const events = [
        { eventId: 'e-1', eventType: 'CREATED', orderId: 'o-1', createdAt: '2026-01-05T12:00:00Z' },
      ];
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
      response.end(gzipSync(JSON.stringify(events)));
    });
    const { url, finish } = await recording(target);
    const response = await fetch(`${url}/opendelivery/v1/events:polling`, { headers: { 'x-own': 'a' } });
    expect(await response.json()).toHaveLength(1);
    await fetch(`${url}/else`, { method: 'PUT', body: 'free', headers: { 'x-own': 'b' } });
    const host = new URL(target).host;
    expect(seen).toEqual([
      ['GET', 'a', host, ''],
      ['PUT', 'b', host, 'free'],
    ]);
    const made = JSON.parse(await finish()) as Recording;
    expect(made.events).toHaveLength(1);
  });

  it('passes a body on as it came if it would be larger than 64 MiB without compression', {
    tags: 'slow',
  }, async () => {
    const body = gzipSync(Buffer.alloc(64 * 1024 * 1024 + 1));
    const target = await served((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
      response.end(body);
    });
    const { url, finish } = await recording(target);
    const [encoding, bytes] = await new Promise<unknown[]>((resolve) => {
      // Not `fetch`, which reads what is compressed.
      request(`${url}/opendelivery/v1/merchant`, async (response) => {
        const received = await response.toArray();
        resolve([response.headers['content-encoding'], Buffer.concat(received)]);
      }).end();
    });
    expect(encoding).toBe('gzip');
    expect(body.equals(bytes as Buffer)).toBe(true);
    await finish();
  });

  it('passes on what it cannot read or record', async () => {
    const deep = `{"id":"o-1","extra":${'['.repeat(20_000)}${']'.repeat(20_000)}}`;
    const target = await served(({ method, url, headers }, response) => {
      const [body, more] = {
        '/latin1': [Buffer.from('{"name":"João"}', 'latin1'), {}] as const,
        '/deflate': [deflateRawSync('{"raw":true}'), { 'content-encoding': 'deflate' }] as const,
      }[url ?? ''] ?? [deep, {}];
      response.setHeader('x-accepted', headers['accept-encoding'] ?? 'as it is');
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length, ...more });
      response.end(method === 'HEAD' ? '' : body);
    });
    const { url, ran, finish } = await recording(target);
    const latin1 = await fetch(`${url}/latin1`);
    expect(Buffer.from(await latin1.arrayBuffer()).toString('latin1')).toBe('{"name":"João"}');
    expect(latin1.headers.get('x-accepted')).toBe('as it is');
    expect(await (await fetch(`${url}/deflate`)).json()).toEqual({ raw: true });
    expect((await fetch(`${url}/latin1`, { method: 'HEAD' })).headers.get('content-length')).not.toBe('0');
    expect(await (await fetch(`${url}/opendelivery/v1/orders/o-1`)).text()).toBe(deep);
    expect(ran.err).toContain('a response was not recorded: ');
    await finish();
  });

  it('changes no address of another host that begins like the hub', async () => {
    const target = await served(({ headers }, response) => {
      const own = `http://${headers.host}`;
      response.setHeader('content-type', 'application/json');
      response.end(`["${own}/a","${own.replaceAll('/', '\\/')}\\/b","${own}","${own}.br/a","${own}0/a"]`);
    });
    const { url, finish } = await recording(target);
    const addresses = await (await fetch(url)).json();
    expect(addresses).toEqual([`${url}/a`, `${url}/b`, url, `${target}.br/a`, `${target}0/a`]);
    await finish();
  });

  it('breaks the connection if the hub does, and records on', async () => {
    const target = await served(({ socket }) => socket.destroy());
    const { url, ran, finish } = await recording(target);
    await expect(fetch(`${url}/opendelivery/v1/merchant`)).rejects.toThrow();
    expect(ran.out).toMatch(/no response \(\w+\) +merchant/);
    expect(JSON.parse(await finish())).toMatchObject({ orders: [], events: [] });
  });

  it('refuses requests for another host, which a web page can send', async () => {
    const target = await served((_, response) => void response.end());
    const { url, finish } = await recording(target);
    const status = await new Promise((resolve) => {
      request(url, { headers: { host: 'evil.example' } }, (response) => {
        response.resume();
        resolve(response.statusCode);
      }).end();
    });
    expect(status).toBe(403);
    await finish();
  });

  it.each([
    ['--target http://hub.example --out x.json', 'must begin with https://'],
    ['--target https://hub.example/path --out x.json', 'use --base-path'],
    ['--target https://hub.example --base-path hub --out x.json', '--base-path: must be a path such as'],
    ['--target https://me:pw@hub.example --out x.json', 'must not contain credentials'],
    ['--target https://hub.example', "'--out <file>' not specified"],
    ['--out x.json', "'--target <url>' not specified"],
    ['--target https://hub.example --out /nowhere/x.json', 'no such file or directory'],
  ])('%s exits with 2', async (options, message) => {
    const ran = await exits(2, `record ${options}`);
    expect(ran.err).toContain(message);
    expect(ran.err).not.toContain('pw');
  });
});

describe('opendelivery mock --replay', () => {
  const good = { format: 'opendelivery-recording', version: 1 };
  const whole = { ...good, startedAt: 'x', durationMs: 1, merchants: [], orders: [], events: [] };
  const sent = { orderId: 'o-1', command: 'confirm', state: 'CREATED', status: 202, events: [] };
  it.each([
    ['{', 'is not valid JSON'],
    ['{"stores": []}', 'must be a recording that `opendelivery record` has written'],
    ['null', 'must be a recording'],
    [JSON.stringify({ ...good, version: 2 }), 'has a version of the format that is not 1'],
    [
      JSON.stringify({ ...good, startedAt: 'x', durationMs: 1, merchants: {} }),
      'merchants: must be an array; it is an object.',
    ],
    [
      JSON.stringify({ ...whole, commands: [{ ...sent, status: 42 }] }),
      'commands[0].status: must be at least 200; it is 42.',
    ],
    [
      JSON.stringify({ ...whole, commands: [{ ...sent, command: 'cook' }] }),
      "commands[0].command: must be one of 'confirm', ",
    ],
  ])('exits with 2 for %s', async (content, message) => {
    const ran = await exits(2, `mock --port 0 --replay ${fileWith(content, 'evening.json')}`);
    expect(ran.err).toContain(message);
  });
});
