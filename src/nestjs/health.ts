import { type HealthSource, isReady, isStuck, shownHealth } from '../engine/health-handlers.js';
import type { OrderEventRunner } from './runner.js';

/** The result of an indicator, as `@nestjs/terminus` expects it. */
export type OpenDeliveryHealthResult<Key extends string = string> = Record<
  Key,
  {
    /** `down` before the first good poll, from the beginning of the shutdown on, and if the process is stuck. */
    readonly status: 'up' | 'down';
    /** The status of the poller or fleet. */
    readonly polling: string;
    /** Some counts of `health()`. */
    readonly [count: string]: string | number;
  }
>;

/**
 * A health indicator for `@nestjs/terminus`: `() => health.isHealthy('orders')` in a check of readiness. For
 * `livenessHandler` and `readinessHandler` it is what they ask.
 */
export class OpenDeliveryHealth implements HealthSource {
  readonly #runner: OrderEventRunner;

  /** @internal */
  constructor(runner: OrderEventRunner) {
    this.#runner = runner;
  }

  /**
   * Says whether orders are polled, without a request. It stays `up` while the hub is down, as `readinessHandler` does.
   *
   * @param key - the name in the result.
   */
  async isHealthy<const Key extends string>(key: Key): Promise<OpenDeliveryHealthResult<Key>> {
    const health = this.health();
    const { status: polling, polling: _count, ...counts } = shownHealth(health);
    const status = isReady(health) && !isStuck(health) ? 'up' : 'down';
    return { [key]: { status, polling, ...counts } } as OpenDeliveryHealthResult<Key>;
  }

  /** What the poller or the fleet of the application is doing. */
  health(): ReturnType<HealthSource['health']> {
    return this.#runner.health();
  }
}
