import { Alarm } from '../../async/timer.js';
import type { Clock } from '../../clock.js';

/** Waits for work that may hang, such as a command to a Redis that is away. @returns whether it ended in time. */
export async function within(clock: Clock, ms: number, work: Promise<unknown>): Promise<boolean> {
  const alarm = new Alarm(clock);
  const isDone = work.then(
    () => true,
    () => true,
  );
  const result = await Promise.race([isDone, alarm.wait(ms).then(() => false)]);
  alarm.wake();
  return result;
}
