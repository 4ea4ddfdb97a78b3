import { expect, it } from 'vitest';
import { crash } from '../crash/crash.js';
import { printFigures } from './figures.js';

it('150 kills (SIGKILL) lose nothing with the state in files', async () => {
  const { breaches, ...figures } = await crash(1000, 150, 'file');
  printFigures('kills with the state in files', figures);
  expect(breaches).toEqual([]);
}, 1_800_000);
