import { type Clock, systemClock } from '../clock.js';

/**
 * Real time, `factor` times as fast. The wall clock and the monotonic clock
 * run at the same speed. Pass the same clock to the client and the mock hub.
 *
 * @example
 * ```ts
 * const clock = scaledClock(60); // a minute takes one second
 * const mock = createMockHub({ clock });
 * const hub = new HubClient({ baseUrl: mock.baseUrl, ...mock.credentials, fetch: mock.fetch, clock });
 * ```
 *
 * @param factor - greater than 0; 60 makes a minute pass in one second.
 * @throws {TypeError} `factor` is not a finite number greater than 0.
 */
export function scaledClock(factor: number): Clock {
  if (!(factor > 0) || !Number.isFinite(factor)) {
    throw new TypeError('factor must be a finite number greater than 0');
  }
  const startedAt = systemClock.now();
  const startedMonotonic = systemClock.monotonic();
  const monotonic = () => (systemClock.monotonic() - startedMonotonic) * factor;
  return {
    now: () => startedAt + monotonic(),
    monotonic,
    async sleep(ms, signal) {
      const dueAt = monotonic() + ms;
      // A real timer may fire a fraction of a millisecond early. At this speed that can be seconds.
      do await systemClock.sleep(Math.max(0, dueAt - monotonic()) / factor, signal);
      while (monotonic() < dueAt);
    },
  };
}
