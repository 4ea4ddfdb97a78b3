import type * as z from 'zod';
import type { Clock } from '../time/clock.js';
import type { WireTime } from './console/wire.js';
import type { clockMove } from './control-input.js';
import { durationMs } from './duration.js';
import { ManualClock } from './manual-clock.js';
import { ScaledClock } from './scaled-clock.js';

const SYSTEM_CLOCK =
  'the hub runs on the system clock, which cannot be moved; start it with `opendelivery mock`, or pass `clock: scaledClock(1)` or a ManualClock to createMockHub';

/** Ten years: `Date` has a largest value, and no jump may come near it. */
const MAX_ADVANCE_MS = durationMs('3650d');

export function timeOf(clock: Clock): WireTime {
  const moment = { now: clock.now(), monotonic: clock.monotonic() };
  if (clock instanceof ScaledClock) return { ...moment, speed: clock.factor, kind: 'scaled' };
  return clock instanceof ManualClock
    ? { ...moment, speed: 0, kind: 'manual' }
    : { ...moment, speed: 1, kind: 'system' };
}

/**
 * Makes a clock jump, or run as fast as `speed` from now on; 1 is real time.
 *
 * @throws {TypeError} the clock cannot do this; the message says which clock can.
 */
export async function moveClock(clock: Clock, { advance, speed }: z.output<typeof clockMove>): Promise<void> {
  if (!(clock instanceof ScaledClock || clock instanceof ManualClock)) throw new TypeError(SYSTEM_CLOCK);
  if (advance === undefined && speed === undefined) throw new TypeError('advance or speed is missing');
  const ms = advance === undefined ? undefined : durationMs(advance);
  if (ms !== undefined && ms > MAX_ADVANCE_MS) throw new TypeError('advance: must be at most 3650d');
  if (speed !== undefined) {
    if (clock instanceof ManualClock) {
      throw new TypeError('a ManualClock has no speed; it moves only by `advance`');
    }
    // The clock would name its own field.
    if (!(speed > 0)) throw new TypeError('speed: must be greater than 0');
    clock.factor = speed;
  }
  if (ms !== undefined) await clock.advance(ms);
}
