import { expect, it } from 'vitest';
import { runSchedule } from './schedule.js';
it.each([222, 225, 234, ...Array.from({ length: 60 }, (_, i) => 300 + i)])('fleet seed %i', async (seed) => {
  const { breaches, ...r } = await runSchedule(seed, 5, 'fleet');
  if (breaches.length) console.log(seed, JSON.stringify(r), breaches.length, breaches.slice(0, 4));
  expect(breaches.length).toBe(0);
});
