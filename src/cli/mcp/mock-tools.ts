import * as z from 'zod';
import * as inputs from '../../testing/control-input.js';
import type { NewStore } from '../../testing/mock-store.js';
import { type ControlClient, pathFor } from '../trigger/control-client.js';
import { type Tool, tool } from './tool.js';

/** Its control API takes any key of an event; here a misspelled one is named. */
const newEvent = z.strictObject(inputs.newEvent.shape);

/** The mock hub: what the platform does, how it fails, and what the application did. */
export function mockTools(url: string, control: ControlClient): readonly Tool[] {
  return [
    tool('mock_hub', inputs.noInput, {
      does: 'Returns how an application connects to the mock hub: the variables HUB_BASE_URL, HUB_CLIENT_ID, HUB_CLIENT_SECRET and HUB_API_KEY of each store, and the address of its console for people.',
      isReadOnly: true,
      run: async () => {
        const stores = await control.list<NewStore>('stores');
        return {
          console: `${url}/_mock/ui`,
          stores: stores.map(({ clientId, clientSecret, apiKey }) => ({
            HUB_BASE_URL: url,
            HUB_CLIENT_ID: clientId,
            HUB_CLIENT_SECRET: clientSecret,
            HUB_API_KEY: apiKey,
          })),
        };
      },
    }),
    tool('create_order', inputs.newOrder, {
      does: 'Creates an order at the mock hub, which emits CREATED for it. Without keys: an instant delivery. `include` adds options, discounts, cash with change and so on; `clientId` selects a store; any field of the order document replaces the generated one. Returns the orderId and the document.',
      run: (input) => control.post('orders', input),
    }),
    tool('emit_event', newEvent, {
      does: 'Emits an event at the mock hub, such as CANCELLED, CONCLUDED or ORDER_CANCELLATION_REQUEST (with `metadata: { reason, code }`). `orderId` is that of create_order; without it, the event belongs to no order.',
      run: (input) => control.post('events', input),
    }),
    tool('inject_fault', inputs.nextFaults, {
      does: 'Makes the next request of an application to an endpoint of the mock hub fail, or the next `times` requests. `fault` is a status such as 503, or { status: 429, headers: { "retry-after": "60" } }, or a name such as "lost" (the request is processed, its response is lost).',
      run: (input) => control.post('faults', input),
    }),
    tool('clear_faults', inputs.noInput, {
      does: 'Removes all faults that wait for a request.',
      run: () => control.delete('faults'),
    }),
    tool('read_violations', inputs.ofStore, {
      does: 'Lists the rules of the hub that the application has broken: limits, acknowledgments, bodies of commands, orders that nobody answered. An empty list is the aim. explain_error explains a rule.',
      isReadOnly: true,
      run: ({ clientId }) => control.list(pathFor('violations', clientId)),
    }),
  ];
}
