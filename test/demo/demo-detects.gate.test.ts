import { it } from 'vitest';
import { runExample } from './example.js';

it('the demo exits with 1 and names the events if a client acknowledges before it handles', async ({
  expect,
  onTestFinished,
}) => {
  const { code, output } = await runExample(onTestFinished, 'test/demo/acknowledge-first.ts').exit();
  expect(output).toContain('was acknowledged before it was saved');
  expect(code).toBe(1);
});
