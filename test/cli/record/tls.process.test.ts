import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { globalAgent } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { HubClient } from 'opendelivery-client';
import { createMockHub, type Recording } from 'opendelivery-client/testing';
import { expect, it, onTestFinished } from 'vitest';
import { isProgramMissing, pathOf } from '../../program-missing.js';
import { fileWith, served, temporaryDirectory } from '../../temporary.js';
import { recording } from './running.js';

/** Of 127.0.0.1, signed by itself. */
function certificate() {
  const [key, cert] = [join(temporaryDirectory(), 'key.pem'), join(temporaryDirectory(), 'cert.pem')];
  const words = `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 -subj /CN=127.0.0.1`;
  execFileSync(
    pathOf('openssl'),
    [...words.split(' '), '-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', key, '-out', cert],
    { stdio: 'ignore' },
  );
  return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
}

it.skipIf(isProgramMissing('openssl'))(
  'records at a hub with TLS, whose tokens come from another server',
  async () => {
    const mock = createMockHub();
    const tls = certificate();
    const { ca } = globalAgent.options;
    globalAgent.options.ca = tls.cert;
    onTestFinished(() => void (globalAgent.options.ca = ca));
    const asked: string[] = [];
    const servedAs = (name: string) =>
      served(async (incoming, response) => {
        asked.push(`${name} ${incoming.url}`);
        const path = incoming.url?.replace('/tokens', '/opendelivery/oauth/token');
        const { method = 'GET', headers } = incoming;
        const answer = await mock.fetch(mock.baseUrl + path, {
          method,
          headers: headers as Record<string, string>,
          ...(method === 'POST' && { body: await text(incoming) }),
        });
        response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
      }, tls);
    const [target, tokens] = [await servedAs('hub'), await servedAs('tokens')];
    const profile = fileWith(JSON.stringify({ tokenUrl: `${tokens}/tokens` }), 'profile.json');
    mock.createOrder();
    const { url, ran, finish } = await recording(target, `--profile ${profile}`);
    expect(ran.out).toContain(`Set its tokenUrl to ${url}/tokens`);
    const hub = new HubClient({
      baseUrl: url,
      ...mock.credentials,
      profile: { tokenUrl: `${url}/tokens` },
      logger: false,
    });
    onTestFinished(async () => void (await hub.close()));
    expect((await hub.events.poll()).events).toHaveLength(1);
    expect(asked).toEqual(['tokens /tokens', expect.stringMatching(/^hub .*polling/)]);
    expect((JSON.parse(await finish()) as Recording).events).toHaveLength(1);
  },
);
