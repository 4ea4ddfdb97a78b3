import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileState, HubClient, type HubClientOptions, memoryState } from 'opendelivery-client';
import { redisState } from 'opendelivery-client/redis';
import { afterEach, describe, expect, it, vi } from 'vitest';

const BASE_URL = 'https://hub.example';

const open: HubClient[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

describe('two clients of one store', () => {
  function warnings(...clients: ReadonlyArray<Partial<HubClientOptions>>): unknown[][] {
    const warn = vi.fn();
    const logger = { debug() {}, info() {}, warn, error() {} };
    for (const options of clients) {
      open.push(new HubClient({ baseUrl: BASE_URL, clientSecret: 'hunter2', logger, ...options }));
    }
    return warn.mock.calls;
  }

  it('warn once if they do not share a state, and the warning says what to do', () => {
    const clientId = 'unshared';
    const calls = warnings({ clientId }, { clientId }, { clientId, state: memoryState() }, { clientId });
    expect(calls).toHaveLength(1);
    expect(String(calls[0]?.[0])).toMatch(/state.*memoryState\(\)/s);
    expect(JSON.stringify(calls)).not.toContain('hunter2');
  });

  it('do not warn if they share a state', () => {
    const state = memoryState();
    const options = { clientId: 'shared', state };
    expect(warnings(options, options, options)).toEqual([]);
  });

  it('warn if their files differ, and do not if they name one', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'sharing-'));
    const [one, same, other] = ['a.db', 'a.db', 'b.db'].map((name) => fileState(join(directory, name)));
    expect(warnings({ clientId: 'one-file', state: one }, { clientId: 'one-file', state: same })).toEqual([]);
    expect(
      warnings({ clientId: 'two-files', state: one }, { clientId: 'two-files', state: other }),
    ).toHaveLength(1);
    for (const each of open.splice(0)) await each.close();
    for (const each of [one, other]) await each?.close();
    await rm(directory, { recursive: true });
  });

  it('do not warn if both states may be in one database', () => {
    const client = () => ({ eval: async () => null, evalsha: async () => null });
    const clientId = 'one-redis';
    const calls = warnings(
      { clientId, state: redisState(client() as never) },
      { clientId, state: redisState(client() as never) },
    );
    expect(calls).toEqual([]);
  });

  it('do not warn if they are of different stores or token URLs, or have no clientId', () => {
    const tokenUrl = 'https://auth.example/token';
    expect(warnings({ clientId: 'a1' }, { clientId: 'a2' }, { clientId: 'a1', tokenUrl })).toEqual([]);
    expect(warnings({ apiKey: 'k' }, { apiKey: 'k' })).toEqual([]);
  });

  it('do not warn if the first is closed before the second is created', async () => {
    const clientId = 'one-after-another';
    expect(warnings({ clientId })).toEqual([]);
    for (const each of open.splice(0)) await each.close();
    expect(warnings({ clientId })).toEqual([]);
  });
});
