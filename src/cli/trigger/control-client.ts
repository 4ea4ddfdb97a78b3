import { ConfigurationError } from '../../errors/index.js';
import { isObject, parseJson } from '../../reading/json.js';
import { canonicalEventType, isFinalStage } from '../../schemas/event-types.js';
import type { HubEvent } from '../../testing/mock-store.js';
import type { Clock } from '../../time/clock.js';
import { exchange } from '../exchange.js';

/** Of a server that may be something else than a mock hub. */
const MAX_TITLE_LENGTH = 1000;

/** The control API of a running mock hub (`GET /_mock/` describes it). */
export type ControlClient = ReturnType<typeof controlClient>;

/**
 * @param refused - makes the error for an input that the mock hub refuses; `title` is its reason. All that the options
 * of `trigger` leave to the mock hub to check is the store.
 */
export function controlClient(
  address: string,
  clock: Clock,
  refused: (title: string) => Error = (title) => new ConfigurationError('--store', title),
) {
  const url = address.replace(/\/$/, '');
  const start = 'start one with `npx opendelivery mock`, or give its address with --url';
  const send = async (
    path: string,
    init: RequestInit,
    isExpected: (body: unknown) => boolean = isObject,
  ): Promise<unknown> => {
    const response = await exchange(`${url}/_mock/${path}`, init, { clock }).catch(({ message }: Error) => {
      throw new ConfigurationError('--url', `no mock hub responds at ${url} (${message}); ${start}`);
    });
    const body = parseJson(response.text);
    if (response.ok && isExpected(body)) return body;
    if (response.status === 400 && isObject(body))
      throw refused(String(body.title).slice(0, MAX_TITLE_LENGTH));
    throw new ConfigurationError('--url', `the server at ${url} is not a mock hub; ${start}`);
  };
  const accept = 'application/json';
  return {
    get: async <Result>(path: string) => (await send(path, { headers: { accept } })) as Result,
    list: async <Entry>(path: string) =>
      (await send(path, { headers: { accept } }, Array.isArray)) as readonly Entry[],
    delete: (path: string) => send(path, { method: 'DELETE', headers: { accept } }),
    post: async <Result>(path: string, body: object) => {
      const headers = { accept, 'content-type': 'application/json' };
      return (await send(path, { method: 'POST', headers, body: JSON.stringify(body) })) as Result;
    },
  };
}

/** The address of what one store has; without it, of what all have. */
export const pathFor = (path: string, clientId: string | undefined) =>
  clientId === undefined ? path : `${path}?clientId=${encodeURIComponent(clientId)}`;

/** The newest order of a store that is neither concluded nor cancelled. */
export async function latestOpenOrder(mock: ControlClient, clientId: string | undefined): Promise<string> {
  const { emitted } = await mock.get<{ readonly emitted: readonly HubEvent[] }>(pathFor('events', clientId));
  const finished = new Set(
    emitted
      .filter(({ eventType }) => isFinalStage(canonicalEventType(eventType)))
      .map(({ orderId }) => orderId),
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
