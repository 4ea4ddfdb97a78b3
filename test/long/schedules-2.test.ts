import { it } from 'vitest';
import { playMany } from './many-schedules.js';

it(
  '100 random schedules, with fleets, of 24 virtual hours break no promise',
  () => playMany(2000, 100, 'fleet'),
  3_600_000,
);
