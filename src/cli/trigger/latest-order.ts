import { ConfigurationError } from '../../errors.js';
import { isFinalStage } from '../../schemas/event-types.js';
import type { HubEvent } from '../../testing/mock-store.js';
import type { ControlClient } from './control-client.js';

/**
 * The newest order of a store that is neither concluded nor cancelled.
 *
 * @throws {ConfigurationError} the store has no open order.
 */
export async function latestOpenOrder(mock: ControlClient, clientId: string | undefined): Promise<string> {
  const query = clientId === undefined ? '' : `?clientId=${encodeURIComponent(clientId)}`;
  const { emitted } = await mock.get<{ readonly emitted: readonly HubEvent[] }>(`events${query}`);
  const finished = new Set(
    emitted.filter(({ eventType }) => isFinalStage(eventType)).map(({ orderId }) => orderId),
  );
  const created = emitted.findLast(
    ({ eventType, orderId }) => eventType === 'CREATED' && !finished.has(orderId),
  );
  if (created) return created.orderId;
  throw new ConfigurationError(
    '--order',
    'the store has no open order; create one with `npx opendelivery trigger order`, or name one with --order <id>',
  );
}
