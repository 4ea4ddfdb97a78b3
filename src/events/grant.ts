import { type Clock, elapsedMs, type Moment } from '../clock.js';

/** The lease as it was last granted or renewed. */
export interface Grant {
  readonly fence: number;
  /** The duration that was requested. */
  leaseMs: number;
  /** When the state call was sent. The lease counts from then, because the reply may have taken long. */
  renewedAt: Moment;
}

/** How long it is still valid, by the clock that shows less, in ms. */
export const leftMsOf = ({ leaseMs, renewedAt }: Grant, clock: Clock): number =>
  leaseMs - elapsedMs(renewedAt, clock);
