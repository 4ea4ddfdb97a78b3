import { it } from 'vitest';
import { playMany } from './many-schedules.js';

it(
  '100 random schedules, with pollers, of 24 virtual hours break no promise',
  () => playMany(1000, 100, 'poller'),
  3_600_000,
);
