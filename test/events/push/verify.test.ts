import { isHubError, PushRefusedError, type VerifyOptions } from 'opendelivery-client';
import type { ManualClock } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { stage } from '../../support.js';
import { pushOf, SECRET } from './support.js';

const HOUR_MS = 3_600_000;

/** A push of an event `e` that was created just now. */
const recentPush = (clock: ManualClock, secret = SECRET) =>
  pushOf(
    { eventId: 'e', eventType: 'CREATED', orderId: 'o', createdAt: new Date(clock.now()).toISOString() },
    { secret },
  );

/** What `verify` resolves to, or the status of its refusal. */
function verifier() {
  const { clock, mock, hub, log } = stage();
  const verify = async (request: Request, options?: VerifyOptions) => {
    try {
      return (await hub.events.verify(request, options)).map(({ eventId }) => eventId);
    } catch (error) {
      if (error instanceof PushRefusedError) return error.status;
      throw error;
    }
  };
  const event = (eventId = 'e1', ageMs = 0) => ({
    eventId,
    eventType: 'CREATED',
    orderId: 'o1',
    createdAt: new Date(clock.now() - ageMs).toISOString(),
  });
  return { clock, mock, hub, log, verify, event };
}

describe('hub.events.verify', () => {
  it('returns the events of a push, with the shop of its header, and sends nothing', async () => {
    const { clock, mock, hub } = verifier();
    const { event } = mock.createOrder();
    const [verified, ...others] = await hub.events.verify(pushOf(event, { 'x-app-merchantid': 'shop-7' }));
    expect(verified).toEqual({ ...event, merchantId: 'shop-7' });
    expect(others).toEqual([]);
    expect(Object.isFrozen(verified)).toBe(true);
    expect(mock.requests).toEqual([]);
    expect(mock.pending()).toHaveLength(1);
    expect(clock.sleepers).toBe(0);
  });

  it('returns every event of an array, and an event as often as it comes', async () => {
    const { verify, event } = verifier();
    expect(await verify(pushOf([event('a'), event('b')]))).toEqual(['a', 'b']);
    expect([await verify(pushOf(event('a'))), await verify(pushOf(event('a')))]).toEqual([['a'], ['a']]);
  });

  it('reads what a poll reads: other keys, and a byte order mark', async () => {
    const { verify, event } = verifier();
    const { eventId: id, eventType: code, createdAt, orderId } = event();
    expect(await verify(pushOf({ id, code, createdAt, orderId }))).toEqual(['e1']);
    expect(await verify(pushOf(`\ufeff${JSON.stringify(event())}`))).toEqual(['e1']);
  });

  it('tries the option secrets beside the client secret, each perhaps from a function', async () => {
    const { verify, event } = verifier();
    const secrets = ['old', async () => 'second'];
    const push = (secret: string, options?: VerifyOptions) => verify(pushOf(event(), { secret }), options);
    expect([await push(SECRET, { secrets }), await push('old', { secrets })]).toEqual([['e1'], ['e1']]);
    expect([await push('second', { secrets }), await push('third', { secrets })]).toEqual([['e1'], 403]);
    // They are not kept for the next call.
    expect(await push('old')).toBe(403);
  });

  it('takes what a known secret fits while the function of another one fails, else passes on why it failed', async () => {
    const down = () => Promise.reject(new Error('the vault is away'));
    for (const [clientSecret, secrets] of [
      [SECRET, [down, 'old']],
      [down, [SECRET, 'old']],
    ] as const) {
      const { clock, hub } = stage({}, { clientSecret });
      const verify = (secret: string) => hub.events.verify(recentPush(clock, secret), { secrets });
      expect([await verify(SECRET), await verify('old')]).toMatchObject([
        [{ eventId: 'e' }],
        [{ eventId: 'e' }],
      ]);
      await expect(verify('third')).rejects.toThrow('the vault is away');
    }
    const { verify, event } = verifier();
    const unusable = verify(pushOf(event(), { secret: 'third' }), { secrets: [() => ''] });
    await expect(unusable).rejects.toMatchObject({ code: 'configuration', option: 'secrets' });
  });

  it('waits for no function if a string fits, and needs no client secret beside others', async () => {
    const never = () => new Promise<string>(() => {});
    const { clock, hub } = stage({}, { clientId: undefined, clientSecret: undefined, apiKey: 'key' });
    const verify = (secret: string, options?: VerifyOptions) =>
      hub.events.verify(recentPush(clock, secret), options);
    expect(await verify('old', { secrets: [never, 'old'] })).toMatchObject([{ eventId: 'e' }]);
    await expect(verify('third', { secrets: ['old'] })).rejects.toMatchObject({ status: 403 });
    await expect(verify('old')).rejects.toMatchObject({ code: 'configuration' });
  });

  it('waits for no function beside one whose secret fits', async () => {
    const never = () => new Promise<string>(() => {});
    const secret = async () => 'old';
    for (const [clientSecret, secrets] of [
      [never, [secret]],
      [secret, [never]],
    ] as const) {
      const { clock, hub } = stage({}, { clientSecret });
      const verified = hub.events.verify(recentPush(clock, 'old'), { secrets });
      expect(await verified).toMatchObject([{ eventId: 'e' }]);
    }
  });

  it('calls the function of a client secret once for pushes of the same moment', async () => {
    let calls = 0;
    const clientSecret = async () => {
      calls += 1;
      return SECRET;
    };
    const { clock, hub } = stage({}, { clientSecret });
    await Promise.all(Array.from({ length: 50 }, () => hub.events.verify(recentPush(clock))));
    expect(calls).toBe(1);
  });

  it.each([
    [86_400_000, 18, 6],
    [4 * HOUR_MS, 3, 1],
    [0, 0, 0],
  ])(
    'refuses what is older than three quarters of rememberMs %i, or more than a quarter ahead',
    async (rememberMs, past, ahead) => {
      const { verify, event } = verifier();
      const statusAt = (ageMs: number) => verify(pushOf(event('e1', ageMs)), { rememberMs });
      expect(await statusAt(past * HOUR_MS + 1)).toBe(403);
      expect(await statusAt(-ahead * HOUR_MS - 1)).toBe(403);
      expect(await statusAt(past * HOUR_MS)).toEqual(['e1']);
      expect(await statusAt(-ahead * HOUR_MS)).toEqual(['e1']);
    },
  );

  it.each<[string, Record<string, unknown>, string]>([
    ['an unknown option', { secret: 'x' }, 'secret'],
    ['a secret that is empty', { secrets: [''] }, 'secrets[0]'],
    ['secrets that are not an array', { secrets: 'x' }, 'secrets'],
    ['a negative rememberMs', { rememberMs: -1 }, 'rememberMs'],
  ])('is a ConfigurationError with %s', async (_what, options, option) => {
    const { verify, event } = verifier();
    await expect(verify(pushOf(event()), options)).rejects.toMatchObject({ code: 'configuration', option });
  });

  it('says that another request than a web Request needs nodeHandler', async () => {
    const { verify } = verifier();
    const incoming = { method: 'POST', headers: {}, body: {} } as unknown as Request;
    await expect(verify(incoming)).rejects.toThrow('nodeHandler');
    await expect(verify(undefined as unknown as Request)).rejects.toThrow('must be a web Request');
  });

  it('needs the client secret, in time, and a client that is open', async () => {
    const { hub, clock } = stage({}, { clientSecret: () => new Promise<string>(() => {}) });
    const event = { eventId: 'e', eventType: 'CREATED', orderId: 'o' };
    const done = expect(hub.events.verify(pushOf(event))).rejects.toMatchObject({ code: 'timeout' });
    await clock.advance('30s');
    await done;
    await hub.close();
    await expect(hub.events.verify(pushOf(event))).rejects.toMatchObject({ code: 'closed' });
    const { hub: other } = stage({}, { clientId: undefined, clientSecret: undefined, apiKey: 'key' });
    await expect(other.events.verify(pushOf(event))).rejects.toMatchObject({ code: 'configuration' });
  });

  it('refuses with an error that shows neither a secret nor the event', async () => {
    const { hub, event } = verifier();
    const bodies = [
      '{',
      '[]',
      JSON.stringify({ ...event(), createdAt: '2001-01-01T00:00:00Z', note: 'Rua A' }),
    ];
    for (const body of bodies) {
      const error: unknown = await hub.events.verify(pushOf(body)).catch((thrown: unknown) => thrown);
      expect(isHubError(error) && error.code).toBe('push_refused');
      expect(JSON.stringify(error)).not.toMatch(/Rua A|o1|mock-client-secret/);
    }
  });
});
