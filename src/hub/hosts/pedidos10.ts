import { namedHost } from './named-host.js';

const LIST = 'Pedidos10, acceptance list of twelve items';

/**
 * Pedidos10: a host of the standard 1.0 to 1.1. It expects that an order which comes twice is stored once, and that
 * the merchant document is valid.
 */
export const pedidos10 = namedHost(
  'pedidos10',
  { name: 'Pedidos10', itemUnit: 'UNIT', webhook: { unsigned: 401 } },
  {
    itemUnit: 'Pedidos10, documents in the shapes of the standard 1.0 to 1.1',
    'webhook.unsigned': `${LIST}: a webhook request without token gets 401`,
  },
);
