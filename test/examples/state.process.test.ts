import { execFile } from 'node:child_process';

import { promisify } from 'node:util';
import { createMockHub } from 'opendelivery-client/testing';
import { expect, it, onTestFinished } from 'vitest';
import { programOf } from '../programs.js';
import { temporaryDirectory } from '../temporary.js';

it('examples/with-state.ts requests one token, however often it is started', async () => {
  const mock = createMockHub();
  const { url, close } = await mock.listen();
  const cwd = temporaryDirectory();
  onTestFinished(close);
  const env = {
    ...process.env,
    HUB_BASE_URL: url,
    HUB_CLIENT_ID: mock.credentials.clientId,
    HUB_CLIENT_SECRET: mock.credentials.clientSecret,
  };
  const argv = [programOf('examples/with-state.ts')];
  const first = await promisify(execFile)(process.execPath, argv, { cwd, env });
  const second = await promisify(execFile)(process.execPath, argv, { cwd, env });
  expect(first.stdout).toMatch(/^the token is valid until \d{4}-/);
  expect(second.stdout).toBe(first.stdout);
  expect(mock.requests).toHaveLength(1);
});
