import { ConfigurationError } from '../../errors/index.js';
import { isObject, parseJson } from '../../reading/json.js';
import { isFinalStage } from '../../schemas/event-types.js';
import type { HubEvent } from '../../testing/mock-store.js';
import type { Clock } from '../../time/clock.js';
import { type Exchanged, exchange } from '../exchange.js';

/** The control API of a running mock hub (`GET /_mock/` describes it). */
export type ControlClient = ReturnType<typeof controlClient>;

export function controlClient(address: string, clock: Clock) {
  const url = address.replace(/\/$/, '');
  const start = 'start one with `npx opendelivery mock`, or give its address with --url';
  const send = async (path: string, init: RequestInit): Promise<unknown> => {
    let response: Exchanged;
    try {
      response = await exchange(`${url}/_mock/${path}`, init, clock);
    } catch (error) {
      const { message } = error as Error;
      throw new ConfigurationError('--url', `no mock hub responds at ${url} (${message}); ${start}`);
    }
    const body = parseJson(response.text);
    if (response.ok && isObject(body)) return body;
    // All that the options of this command leave to the mock hub to check is the store.
    if (response.status === 400 && isObject(body))
      throw new ConfigurationError('--store', String(body.title));
    throw new ConfigurationError('--url', `the server at ${url} is not a mock hub; ${start}`);
  };
  const accept = 'application/json';
  return {
    /** @throws {ConfigurationError} no mock hub responds, or it has no such store. */
    get: async <Result>(path: string) => (await send(path, { headers: { accept } })) as Result,
    /** @throws {ConfigurationError} no mock hub responds, or it refuses the input. */
    post: async <Result>(path: string, body: object) => {
      const headers = { accept, 'content-type': 'application/json' };
      return (await send(path, { method: 'POST', headers, body: JSON.stringify(body) })) as Result;
    },
  };
}

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
