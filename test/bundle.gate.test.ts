import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { createMockHub } from 'opendelivery-client/testing';
import { expect, it, onTestFinished } from 'vitest';

const SOURCE = fileURLToPath(new URL('../src/index.ts', import.meta.url));

const GUIDE = fileURLToPath(new URL('../docs/runtimes.md', import.meta.url));

/** The banner that the guide names. */
const BANNER = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";

/** An application that makes each call once, starts a poller, and prints the results as JSON. */
const APPLICATION = `
import { HubClient } from ${JSON.stringify(SOURCE)};
const hub = HubClient.fromEnv({ logger: false });
const poller = hub.poller();
poller.on('CREATED', () => {});
const calls = {
  token: () => hub.auth.getToken(),
  merchant: () => hub.merchant.get(),
  poll: () => hub.events.poll(),
  start: () => poller.start(),
};
const outcomes = {};
(async () => {
for (const [name, call] of Object.entries(calls)) {
  outcomes[name] = await call().then(() => 'resolved', ({ name, code, message }) => ({ name, code, message }));
}
await hub.close();
console.log(JSON.stringify(outcomes));
})();
`;

/** Bundles the application into one file, minified, and runs it against a mock hub. */
async function runBundled(banner: string, format: 'esm' | 'cjs' = 'esm'): Promise<Record<string, unknown>> {
  const directory = await mkdtemp(join(tmpdir(), 'bundle-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const outfile = join(directory, format === 'esm' ? 'app.mjs' : 'app.cjs');
  await build({
    stdin: { contents: APPLICATION, resolveDir: fileURLToPath(new URL('..', import.meta.url)) },
    bundle: true,
    platform: 'node',
    target: 'node20',
    format,
    banner: { js: banner },
    minify: true,
    outfile,
    logLevel: 'silent',
  });
  const mock = createMockHub();
  const { url, close } = await mock.listen();
  onTestFinished(close);
  const { clientId, clientSecret, apiKey } = mock.credentials;
  const { stdout } = await promisify(execFile)(process.execPath, [outfile], {
    env: { HUB_BASE_URL: url, HUB_CLIENT_ID: clientId, HUB_CLIENT_SECRET: clientSecret, HUB_API_KEY: apiKey },
    timeout: 20_000,
  });
  return JSON.parse(stdout) as Record<string, unknown>;
}

const ALL_RESOLVED = { token: 'resolved', merchant: 'resolved', poll: 'resolved', start: 'resolved' };

it('an ESM bundle works with the banner of the guide', async () => {
  expect(readFileSync(GUIDE, 'utf8')).toContain(`\`${BANNER}\``);
  expect(await runBundled(BANNER)).toEqual(ALL_RESOLVED);
});

it('a CommonJS bundle works', async () => {
  expect(await runBundled('', 'cjs')).toEqual(ALL_RESOLVED);
});

it('in an ESM bundle without the banner, every call rejects at once with the cause and the remedy', async () => {
  const outcomes = await runBundled('');
  expect(outcomes.token).toEqual({
    name: 'ConfigurationError',
    code: 'configuration',
    message: expect.stringMatching(/^undici: could not be loaded: Dynamic require of "node:.+createRequire/),
  });
  for (const name of ['merchant', 'poll', 'start']) {
    expect(outcomes[name]).toEqual({
      name: 'ConfigurationError',
      code: 'configuration',
      message: expect.stringMatching(/^undici: could not be loaded: .+createRequire/),
    });
  }
});
