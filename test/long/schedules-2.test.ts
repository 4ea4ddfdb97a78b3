import { it } from 'vitest';
import { playMany } from './many-schedules.js';

it(
  '200 random schedules, with fleets, of 24 virtual hours break no promise',
  () => playMany(6000, 200, 'fleet'),
  3_600_000,
);
