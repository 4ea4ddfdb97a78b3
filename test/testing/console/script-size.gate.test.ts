import { expect, it } from 'vitest';
import { get, send, servedConsole } from './support.js';

it('keeps the latest thousand steps, and at most four megabytes', async () => {
  const { url } = await servedConsole();
  for (let count = 0; count < 1005; count += 1) await send(url, 'DELETE', 'faults');
  expect((await get(url, 'ui/script')).body.steps).toHaveLength(1000);
  for (let count = 0; count < 3; count += 1) {
    await send(url, 'PATCH', 'merchant', { note: 'x'.repeat(1_900_000), count });
  }
  const { steps } = (await get(url, 'ui/script')).body;
  expect(steps.map(({ body }: { body: { count: number } }) => body.count)).toEqual([1, 2]);
});
