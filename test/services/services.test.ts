import { ClosedError } from 'opendelivery-client';
import { createMockHub, ManualClock } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { Lifetime } from '../../src/async/promises.js';
import { resolveOptions } from '../../src/options/client-options.js';
import { servicesOf } from '../../src/services/services.js';
import { requestsTo } from '../support.js';

/** Services of a fleet, a mock hub with two stores, and an account of each. */
function servicesAndHub() {
  const clock = new ManualClock();
  const stores = ['one', 'two'].map((name) => ({
    clientId: name,
    clientSecret: `secret-of-${name}`,
    apiKey: `key-of-${name}`,
  }));
  const mock = createMockHub({ clock, stores });
  const lines: unknown[][] = [];
  const log = (...line: unknown[]) => void lines.push(line);
  const logger = { debug: log, info: log, warn: log, error: log };
  const { baseUrl, fetch } = mock;
  const services = servicesOf(
    resolveOptions({ baseUrl, fetch, clock, logger, headers: { 'x-partner': 'partner-key' } }),
    8,
  );
  const [one, two] = stores.map((store) => services.accountOf(store, `store ${store.clientId}`));
  if (!one || !two) throw new Error('two stores were expected');
  return { clock, mock, services, one, two, lines };
}

const poll = { endpoint: 'polling', read: ({ status }: { readonly status: number }) => status } as const;

describe('the services of a fleet', () => {
  it('send calls of several accounts, each with its own token and quota', async () => {
    const { mock, services, one, two } = servicesAndHub();
    await Promise.all([services.send(one, poll), services.send(two, poll), services.send(one, poll)]);
    expect(requestsTo(mock, 'token')).toHaveLength(2);
    expect(services.quotas.status(one).polling.remaining).toBe(0);
    expect(services.quotas.status(two).polling.remaining).toBe(1);
    expect(mock.violations()).toEqual([]);
  });

  it('say how long an account must wait for its next slot, as far as this process knows', async () => {
    const { clock, services, one, two } = servicesAndHub();
    expect(services.quotas.waitMs(one, 'polling')).toBe(0);
    await services.send(one, poll);
    await clock.advance('10s');
    await services.send(one, poll);
    expect(services.quotas.waitMs(one, 'polling')).toBe(50_000);
    expect(services.quotas.waitMs(two, 'polling')).toBe(0);
    expect(services.quotas.key(one, 'polling')).toBe(`quota:${one.scope}:polling`);
  });

  it('abort the calls of one lifetime and no others, and go on', async () => {
    const { clock, services, one, two } = servicesAndHub();
    for (let sent = 0; sent < 2; sent += 1)
      await Promise.all([services.send(one, poll), services.send(two, poll)]);
    const lifetime = new Lifetime();
    const ended = services.send(one, poll, lifetime).catch((error: unknown) => error);
    const others = services.send(two, poll);
    const reason = new Error('the fleet is stopped');
    lifetime.abort(reason);
    expect(await ended).toBe(reason);
    const again = services.send(one, poll, lifetime);
    await clock.advance('61s');
    expect(await Promise.all([others, again])).toHaveLength(2);
    await lifetime.close(async () => {});
    await expect(services.send(one, poll, lifetime)).rejects.toThrow(ClosedError);
    await clock.advance('61s');
    await services.send(two, poll);
  });
});

describe('an account', () => {
  it('masks its secrets, its partner key and its token, also those that were in use before', async () => {
    const { services, one } = servicesAndHub();
    const former = await services.tokens.get(one);
    await services.tokens.invalidate(one, former.value);
    const present = await services.tokens.renew(one);
    one.update({ clientId: 'one', clientSecret: 'rotated-secret', apiKey: undefined });
    const secrets = [
      'secret-of-one',
      'rotated-secret',
      'key-of-one',
      'partner-key',
      former.value,
      present.value,
    ];
    for (const secret of secrets) expect(one.quote(`a ${secret} b`)).toBe('a [secret] b');
    one.update({ clientId: 'one', clientSecret: 'rotated-again', apiKey: undefined });
    for (const secret of [...secrets, 'rotated-again']) expect(one.quote(secret)).toBe('[secret]');
  });

  it('uses a rotated secret for its next token', async () => {
    const { mock, services, one } = servicesAndHub();
    one.update({ clientId: 'one', clientSecret: 'not-the-secret', apiKey: undefined });
    await expect(services.tokens.get(one)).rejects.toThrow('check clientId and clientSecret');
    one.update({ clientId: 'one', clientSecret: 'secret-of-one', apiKey: undefined });
    await services.send(one, poll);
    expect(requestsTo(mock, 'token').map(({ status }) => status)).toEqual([401, 200]);
  });

  it('names its store in every line that it logs', () => {
    const { one, lines } = servicesAndHub();
    one.logger.warn('a line', { more: 1 });
    one.logger.error('failed', { error: new Error('with secret-of-one') });
    expect(lines).toMatchObject([
      ['a line', { storeId: 'store one', more: 1 }],
      ['failed', { storeId: 'store one', error: { message: 'with [secret]' } }],
    ]);
  });

  it('keeps nothing of a renewal that has succeeded', async () => {
    const { services, one } = servicesAndHub();
    await services.send(one, poll);
    expect(one.renewal).toBeUndefined();
    expect(one.observers).toBeUndefined();
  });
});
