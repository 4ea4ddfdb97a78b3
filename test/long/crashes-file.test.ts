import { join } from 'node:path';
import { expect, it } from 'vitest';
import { crash } from '../crash/crash.js';

it('150 kills (SIGKILL) lose nothing with the state in files', async () => {
  const { breaches, ...figures } = await crash(1000, 150, (folder) => ({
    kind: 'file',
    directory: join(folder, 'state'),
  }));
  expect(breaches).toEqual([]);
  console.log('state in files:', JSON.stringify(figures));
}, 1_800_000);
