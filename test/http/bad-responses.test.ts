import {
  type HubClient,
  type HubError,
  InvalidResponseError,
  ServerError,
  TimeoutError,
  UnexpectedStatusError,
} from 'opendelivery-client';
import { createMockHub, type HubEvent, ManualClock } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { during } from '../support.js';
import { clientOf, dribbles, passesOn, type Responder, rawServer, sends } from './support.js';

interface Known {
  readonly event: HubEvent;
  readonly orderId: string;
}

type Kind = abstract new (...given: never[]) => HubError;

interface Called {
  readonly endpoint: string;
  readonly path: RegExp;
  readonly call: (hub: HubClient, known: Known) => Promise<unknown>;
  /** The result of a valid response. */
  readonly good: (known: Known) => object;
  /** Whether any 2xx with this body is a success. */
  readonly ignoresBody?: (body: string) => boolean;
  /** Bodies that are valid here although they are invalid elsewhere, and their results. */
  readonly means?: Readonly<Record<string, object>>;
}

const CALLS: readonly Called[] = [
  {
    endpoint: 'token',
    path: /\/oauth\/token$/,
    call: (hub) => hub.auth.renew(),
    good: () => ({ value: expect.stringMatching(/^mock\.1001\./) }),
  },
  {
    endpoint: 'merchant',
    path: /\/v1\/merchant$/,
    call: (hub) => hub.merchant.get({ fresh: true }),
    good: () => ({ merchant: { basicInfo: { name: 'Forno da Vila' } }, stale: false }),
  },
  {
    endpoint: 'polling',
    path: /\/v1\/events:polling$/,
    call: (hub) => hub.events.poll(),
    good: ({ event }) => ({ events: [{ eventId: event.eventId }], issues: [] }),
    means: Object.fromEntries(['', '[]', 'null'].map((body) => [body, { events: [], issues: [] }])),
  },
  {
    endpoint: 'acknowledgment',
    path: /\/v1\/events\/acknowledgment$/,
    call: (hub, { event }) => hub.events.acknowledge([event]),
    good: ({ event }) => ({ acknowledged: [event.eventId], rejected: [] }),
    ignoresBody: () => true,
  },
  {
    endpoint: 'order',
    path: /\/v1\/orders\/[^/]+$/,
    call: (hub, { orderId }) => hub.orders.get(orderId),
    good: ({ orderId }) => ({ order: { id: orderId } }),
  },
  {
    endpoint: 'orderStatus',
    path: /\/v1\/orders\/[^/]+\/confirm$/,
    call: (hub, { orderId }) => hub.orders.confirm(orderId).then(() => ({ done: true })),
    good: () => ({ done: true }),
    ignoresBody: (body) => !body.startsWith('<'),
  },
];

/** Bodies of a 200 that no endpoint can use, except those listed in its `means`. */
const BODIES: ReadonlyArray<[what: string, body: string]> = [
  ['a page of HTML', '<!doctype html><html><body>Sign in</body></html>'],
  ['nothing', ''],
  ['a blank line', ' \r\n '],
  ['half a document', '{"id":"1","access_token":"abc","items":[{"na'],
  ['a number', '42'],
  ['a string', '"x"'],
  ['null', 'null'],
  ['{}', '{}'],
  ['[]', '[]'],
];

const TEN_MEGABYTES = Buffer.alloc(10 * 1024 * 1024, 'x');

/** Responses that are a failure of every endpoint. */
const FAILURES: ReadonlyArray<[what: string, responder: Responder, kind: Kind, status: number]> = [
  ['an error page of 10 MB', sends(500, TEN_MEGABYTES), ServerError, 500],
  ['a redirect', sends(302, '', { location: 'https://elsewhere.example/' }), UnexpectedStatusError, 302],
  ['a 304', sends(304), UnexpectedStatusError, 304],
  ['a 418', sends(418, "I'm a teapot"), UnexpectedStatusError, 418],
  ['a 599', sends(599, '{}'), ServerError, 599],
];

describe.each(CALLS)('$endpoint', ({ endpoint, path, call, good, ignoresBody, means = {} }) => {
  /** A hub whose first response of this endpoint is invalid, and a client. */
  const start = async (bad: (clock: ManualClock) => Responder) => {
    const clock = new ManualClock();
    const mock = createMockHub({ clock });
    const { event, orderId } = mock.createOrder();
    const passOn = passesOn(mock);
    let badResponses = 0;
    const server = await rawServer((response, seen) => {
      if (badResponses > 0 || !path.test(seen.url)) return passOn(response, seen);
      badResponses += 1;
      return bad(clock)(response, seen);
    });
    const { hub } = clientOf(server.url, { clock, timeoutMs: 5000 });
    const known = { event, orderId };
    return {
      clock,
      server,
      first: () => outcomeOf(call(hub, known)),
      thenSucceeds: async () => {
        expect(await call(hub, known)).toMatchObject(good(known));
        expect(server.requests.filter(({ url }) => path.test(url))).toHaveLength(2);
        expect(mock.violations()).toEqual([]);
      },
      known,
    };
  };

  it.each(BODIES)(
    'a 200 with %s is recognized as unusable, unless it has a meaning here',
    async (_what, body) => {
      const { first, thenSucceeds, known } = await start(() => sends(200, body));
      const outcome = await first();
      const meaning = ignoresBody?.(body) ? good(known) : means[body.trim()];
      if (meaning) expect(outcome).toMatchObject({ resolved: meaning });
      else {
        expect(outcome.rejected).toBeInstanceOf(InvalidResponseError);
        expect(outcome.rejected).toMatchObject({ code: 'invalid_response', endpoint });
      }
      await thenSucceeds();
    },
  );

  it.each(FAILURES)('%s is a typed error', async (_what, responder, kind, status) => {
    const { first, thenSucceeds } = await start(() => responder);
    const { rejected } = await first();
    expect(rejected).toBeInstanceOf(kind);
    expect(rejected).toMatchObject({ status, endpoint, attempts: 1 });
    expect(Reflect.get(Object(rejected), 'body').length).toBeLessThanOrEqual(4096);
    await thenSucceeds();
  });

  it.each([
    ['body', 200],
    ['error page', 500],
  ])('a dribbling %s is ended at the deadline', async (_what, status) => {
    const { first, thenSucceeds, clock } = await start((its) => dribbles(its, status));
    const { rejected } = await during(clock, '5s', first());
    expect(rejected).toBeInstanceOf(TimeoutError);
    expect(rejected).toMatchObject({ operation: endpoint, timeoutMs: 5000 });
    await thenSucceeds();
  });

  it('a valid response with status 299 is a success', async () => {
    const clock = new ManualClock();
    const mock = createMockHub({ clock });
    const known = mock.createOrder();
    const server = await rawServer((response, seen) =>
      passesOn(mock, path.test(seen.url) ? 299 : undefined)(response, seen),
    );
    const { hub } = clientOf(server.url, { clock });
    expect(await call(hub, known)).toMatchObject(good(known));
  });
});

async function outcomeOf(call: Promise<unknown>): Promise<{ resolved?: unknown; rejected?: unknown }> {
  return call.then(
    (resolved) => ({ resolved }),
    (rejected: unknown) => ({ rejected }),
  );
}
