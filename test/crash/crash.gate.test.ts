import { expect, it } from 'vitest';
import { runs } from '../runs.js';
import { crash } from './crash.js';

it('a process that is killed (SIGKILL) several times while it handles events loses nothing with its state in files', async () => {
  const report = await crash(1, runs(5, 2), 'file');
  expect(report.breaches).toEqual([]);
  expect(report.events).toBeGreaterThan(20);
});
