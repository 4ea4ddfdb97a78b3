import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { exits, servedMock } from '../support.js';

async function status(url: string, headers: Record<string, string>) {
  const sent = request(`${url}/_mock/stores`, { headers }).end();
  const [incoming] = (await once(sent, 'response')) as [IncomingMessage];
  incoming.resume();
  return incoming.statusCode;
}

describe('opendelivery mock', () => {
  it('answers only this machine, and says nothing about other hosts', async () => {
    const { ran, url } = await servedMock();
    const { port, host } = new URL(url);
    expect(await status(url, { host })).toBe(200);
    expect(await status(url, { host: `mock:${port}` })).toBe(403);
    expect(await status(url, { host, origin: 'http://localhost:5173' })).toBe(403);
    expect(ran.out).not.toMatch(/answers/);
  });

  it('answers the hosts and origins that its options name, on every address', async () => {
    const { ran, url } = await servedMock(
      '--host 0.0.0.0 --allow-host mock,host.docker.internal --allow-host Third --allow-origin http://localhost:5173',
    );
    const { port, host } = new URL(url);
    for (const name of ['mock', 'host.docker.internal', 'third', '127.0.0.1']) {
      expect([name, await status(url, { host: `${name}:${port}` })]).toEqual([name, 200]);
    }
    expect(await status(url, { host: `other:${port}` })).toBe(403);
    expect(await status(url, { host, origin: 'http://localhost:5173' })).toBe(200);
    expect(await status(url, { host, origin: 'http://localhost:5174' })).toBe(403);
    expect(ran.out).toContain(
      'it listens on 0.0.0.0 and answers the hosts mock, host.docker.internal, third',
    );
    expect(ran.out).toContain('it answers pages of http://localhost:5173');
  });

  it('says that no other machine is answered yet, if only --host opens it', async () => {
    const { ran } = await servedMock('--host 0.0.0.0');
    expect(ran.out).toContain('it listens on 0.0.0.0 and answers only this machine; --allow-host adds names');
  });

  it.each([
    ['--allow-host mock:4010', "'mock:4010' must be the name or the address of a host without a port"],
    ['--allow-host mock,', "'' must be the name or the address of a host"],
    ['--allow-origin *', "'*' must be the origin of a page: scheme, host and port"],
    ['--allow-origin http://localhost:5173/app', "such as 'http://localhost:5173'."],
    ['--host 192.0.2.1', "error: --host: '192.0.2.1' is not an address of this machine; use 0.0.0.0"],
    ['--host=', 'error: --host: must be an address of this machine'],
  ])('exits with 2 for %s', async (options, message) => {
    const ran = await exits(2, `mock --port 0 ${options}`);
    expect(ran.err).toContain(message);
  });
});
