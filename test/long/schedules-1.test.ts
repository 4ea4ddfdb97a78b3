import { it } from 'vitest';
import { playMany } from './many-schedules.js';

it(
  '200 random schedules, with pollers, of 24 virtual hours break no promise',
  () => playMany(4000, 200, 'poller'),
  3_600_000,
);
