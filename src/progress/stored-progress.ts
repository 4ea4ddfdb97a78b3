import type { OrderStage } from '../schemas/event-types.js';
import type { CancellationEvent, CancellationProgress } from './cancellation.js';

/**
 * How far an order has come, as `orderProgress` returns it. It is plain JSON, to be
 * stored in a database as it is.
 */
export type OrderProgress = {
  /**
   * The latest event type of the order's life that has arrived. `CREATED` if none has arrived yet, because the order
   * exists. `CONCLUDED` and `CANCELLED` are final; of the two, `CANCELLED` counts.
   */
  readonly stage: OrderStage;
  /**
   * Whether a cancellation is requested. `asked_by_hub`: the hub or the customer asks, and the store must accept or
   * deny. `asked_by_store`: the hub has not answered yet. `denied`: the last request was denied, and the order goes
   * on. `none`: nobody has asked, or the order is concluded or cancelled.
   */
  readonly cancellation: CancellationProgress;
  /**
   * When the event that set `stage` was created, in epoch ms, by its `createdAt`. Some hubs send the time of the
   * order's creation. If several events set the same stage, the earliest. Absent: the hub sent no readable time.
   */
  readonly at?: number;
  /**
   * The requests and denials so far, which `orderProgress` needs to be independent of the order of arrival. Absent:
   * there are none, or the order is concluded or cancelled.
   */
  readonly cancellationEvents?: readonly CancellationEvent[];
};
