import { createHash } from 'node:crypto';
import { type MerchantEvents, memoryState, type State } from 'opendelivery-client';
import { type Json, ManualClock } from 'opendelivery-client/testing';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { answered } from '../answered.js';
import { methodsOf } from '../state/methods.js';
import { afterAdvance, clientOf, requestsTo, settledNow, stage } from '../support.js';

const DAY_MS = 86_400_000;

/** A stage that records the events of its merchant client. */
function recordingStage(...options: Parameters<typeof stage>) {
  const staged = stage(...options);
  const updates: MerchantEvents['updated'][] = [];
  const regressions: MerchantEvents['regressed'][] = [];
  staged.hub.merchant.on('updated', (event) => void updates.push(event));
  staged.hub.merchant.on('regressed', (event) => void regressions.push(event));
  return { ...staged, updates, regressions };
}

const NEW: Json = { id: 'new', name: 'New', status: 'AVAILABLE' };

const offersOf = (merchant: Json) => merchant.itemOffers as Json[];

describe('within the TTL', () => {
  it('sends one request for any number of callers', async () => {
    const { clock, mock, hub } = stage({ latencyMs: 100 });
    const calls = Promise.all(Array.from({ length: 10 }, () => hub.merchant.get()));
    const snapshots = await afterAdvance(clock, '1s', calls);
    expect(new Set(snapshots.map(({ merchant }) => merchant)).size).toBe(1);
    await clock.advance('9m');
    expect((await hub.merchant.get()).merchant).toBe(snapshots[0]?.merchant);
    expect(requestsTo(mock, 'merchant')).toHaveLength(1);
    expect(snapshots[0]).toMatchObject({ stale: false, lastUpdate: '2026-01-05T12:00:00.000Z', issues: [] });
  });

  it.each([
    [0, 500, 'spec'],
    [499, 500, 'spec'],
    [500, 500, undefined],
    [3600, 3600, undefined],
    [86_400, 86_400, undefined],
    [86_401, 86_400, 'spec'],
    [undefined, 500, 'standard'],
    ['x', 500, 'standard'],
    ['600', 600, 'standard'],
  ])('reads a TTL of %s as %i seconds', async (ttl, seconds, against) => {
    const { clock, mock, hub } = stage();
    mock.publishMerchant((merchant) => ({ ...merchant, TTL: ttl as number }));
    const { fetchedAt, expiresAt, issues } = await hub.merchant.get();
    expect(fetchedAt).toBe(clock.now());
    expect(expiresAt - fetchedAt).toBe(seconds * 1000);
    expect(issues.filter(({ path }) => path[0] === 'TTL').map((issue) => issue.against)).toEqual(
      against === undefined ? [] : [against],
    );
  });

  it('sends another request with fresh: true', async () => {
    const { mock, hub } = stage();
    await hub.merchant.get();
    await hub.merchant.get({ fresh: true });
    expect(requestsTo(mock, 'merchant')).toHaveLength(2);
  });

  it('peek returns the copy in memory and its staleness without a request', async () => {
    const { clock, mock, hub } = stage();
    expect(hub.merchant.peek()).toBeUndefined();
    await hub.merchant.get();
    expect(hub.merchant.peek()?.stale).toBe(false);
    await clock.advance('11m');
    expect(hub.merchant.peek()?.stale).toBe('expired');
    mock.faults.next('merchant', 404);
    expect((await hub.merchant.get()).stale).toBe('error');
    expect(hub.merchant.peek()?.stale).toBe('error');
    await hub.merchant.get();
    expect(hub.merchant.peek()?.stale).toBe(false);
    await clock.advance('11m');
    expect(hub.merchant.peek()?.stale).toBe('expired');
    expect(requestsTo(mock, 'merchant')).toHaveLength(3);
  });

  it('the copy expires when either clock says so', async () => {
    const { clock, mock, hub } = stage();
    await hub.merchant.get();
    clock.step(601_000);
    await hub.merchant.get();
    expect(requestsTo(mock, 'merchant')).toHaveLength(2);
    clock.step(-DAY_MS);
    await clock.advance('601s');
    await hub.merchant.get();
    expect(requestsTo(mock, 'merchant')).toHaveLength(3);
  });
});

describe('after the TTL', () => {
  it('all callers share one request, and one that aborts does not affect the others', async () => {
    const { clock, mock, hub } = stage({ latencyMs: 1000 });
    await afterAdvance(clock, '11m', hub.merchant.get());
    const controller = new AbortController();
    const leaving = hub.merchant.get({ signal: controller.signal });
    const staying = hub.merchant.get();
    const left = expect(leaving).rejects.toThrow('left');
    expect(await settledNow(clock, staying)).toBe('pending');
    controller.abort(new Error('left'));
    await left;
    const joining = hub.merchant.get();
    await clock.advance('2s');
    expect((await staying).stale).toBe(false);
    expect((await joining).stale).toBe(false);
    expect(requestsTo(mock, 'merchant')).toHaveLength(2);
  });

  it('a document with a newer lastUpdate replaces the copy, and updated names the changes', async () => {
    const { clock, mock, hub, updates } = recordingStage();
    const before = await hub.merchant.get();
    await clock.advance('11m');
    mock.publishMerchant((merchant) => {
      const [first, second, third] = offersOf(merchant) as [Json, Json, Json];
      merchant.itemOffers = [{ ...first, status: 'UNAVAILABLE' }, third, { ...second, id: 'new-offer' }];
    });
    const after = await hub.merchant.get();
    expect(after.merchant).not.toBe(before.merchant);
    expect(updates).toHaveLength(1);
    const { changes, previous, current } = updates[0] as MerchantEvents['updated'];
    expect(previous.merchant).toBe(before.merchant);
    expect(current.merchant).toBe(after.merchant);
    const ids = before.merchant.itemOffers.map(({ id }) => id);
    expect(changes.itemOffers.added.map(({ id }) => id)).toEqual(['new-offer']);
    expect(changes.itemOffers.removed.map(({ id }) => id)).toEqual([ids[1]]);
    expect(changes.itemOffers.changed.map(({ id }) => id)).toEqual([ids[0]]);
    expect(changes.items).toEqual({ added: [], removed: [], changed: [], moved: [] });
    expect(changes.root).toEqual([]);
  });

  it('a document with the same lastUpdate and content keeps the same object and extends its TTL', async () => {
    const { clock, mock, hub, updates } = recordingStage();
    const before = await hub.merchant.get();
    await clock.advance('11m');
    // The same content in other bytes.
    mock.publishMerchant((merchant) => Object.fromEntries(Object.entries(merchant).reverse()));
    mock.publishMerchant({ lastUpdate: before.lastUpdate as string });
    const after = await hub.merchant.get();
    expect(after.merchant).toBe(before.merchant);
    expect(after.expiresAt).toBe(clock.now() + 600_000);
    await clock.advance('9m');
    await hub.merchant.get();
    expect(requestsTo(mock, 'merchant')).toHaveLength(2);
    expect(updates).toEqual([]);
  });

  it('the new copy is used from then on, in memory and by the next process', async () => {
    const state = memoryState();
    const { clock, mock, hub } = recordingStage({}, { state });
    await hub.merchant.get();
    await clock.advance('11m');
    mock.publishMerchant({ status: 'UNAVAILABLE' });
    const after = await hub.merchant.get();
    expect(after.merchant.status).toBe('UNAVAILABLE');
    expect(hub.merchant.peek()).toEqual(after);
    expect(await hub.merchant.get()).toEqual(after);
    const { hub: next } = clientOf(mock, { clock, state });
    expect((await next.merchant.get()).merchant.status).toBe('UNAVAILABLE');
    expect(requestsTo(mock, 'merchant')).toHaveLength(2);
  });

  it('a document with the same lastUpdate and other content replaces the copy', async () => {
    const { clock, mock, hub, updates } = recordingStage();
    const { lastUpdate } = await hub.merchant.get();
    await clock.advance('11m');
    mock.publishMerchant({ status: 'UNAVAILABLE', lastUpdate: lastUpdate as string });
    expect((await hub.merchant.get()).merchant.status).toBe('UNAVAILABLE');
    expect(updates[0]?.changes.root).toEqual(['status']);
  });

  it.each<[string, (items: Json[]) => Json[], readonly number[]]>([
    ['one entry replaced by another', ([, ...rest]) => [...rest, NEW], [1, 1, 0, 0]],
    [
      'one removed and one changed',
      ([, second, ...rest]) => [{ ...second, name: 'Other' }, ...rest],
      [0, 1, 1, 0],
    ],
    ['one changed and moved', ([first, ...rest]) => [...rest, { ...first, name: 'Other' }], [0, 0, 1, 1]],
  ])('a document with the same lastUpdate and %s replaces the copy', async (_what, change, counts) => {
    const { mock, hub, updates } = recordingStage();
    const { merchant, lastUpdate } = await hub.merchant.get();
    const items = change(structuredClone(merchant.items) as unknown as Json[]);
    mock.publishMerchant({ items, lastUpdate: lastUpdate as string });
    const after = await hub.merchant.get({ fresh: true });
    expect([after.lastUpdate, after.merchant.items]).toEqual([lastUpdate, items]);
    const { added, removed, changed, moved } = updates[0]?.changes.items ?? {};
    const lengths = [added, removed, changed, moved].map((list) => list?.length);
    expect(lengths).toEqual(counts);
  });

  it('an older lastUpdate emits regressed and keeps the copy; the same document again is accepted', async () => {
    const { clock, mock, hub, updates, regressions } = recordingStage();
    mock.publishMerchant({ lastUpdate: '2036-01-01T00:00:00Z' }); // a typing mistake in the hub
    const before = await hub.merchant.get();
    await clock.advance('11m');
    mock.publishMerchant({ status: 'UNAVAILABLE', lastUpdate: '2026-01-05T12:11:00Z' });
    expect((await hub.merchant.get()).merchant).toBe(before.merchant);
    expect(regressions).toHaveLength(1);
    expect(regressions[0]?.received).toBe('2026-01-05T12:11:00Z');
    expect(updates).toEqual([]);
    await clock.advance('11m');
    expect((await hub.merchant.get()).merchant.status).toBe('UNAVAILABLE');
    expect(updates).toHaveLength(1);
    expect(regressions).toHaveLength(1);
    expect(requestsTo(mock, 'merchant')).toHaveLength(3);
  });

  it('ever older documents are refused each time; one newer than a refused one is accepted', async () => {
    const { clock, mock, hub, regressions } = recordingStage();
    const before = await hub.merchant.get();
    for (const hour of ['03', '02', '01']) {
      await clock.advance('11m');
      mock.publishMerchant({ lastUpdate: `2026-01-05T${hour}:00:00Z` });
      expect((await hub.merchant.get()).merchant).toBe(before.merchant);
    }
    expect(regressions).toHaveLength(3);
    await clock.advance('11m');
    mock.publishMerchant({ lastUpdate: '2026-01-05T01:30:00Z', status: 'UNAVAILABLE' });
    expect((await hub.merchant.get()).merchant.status).toBe('UNAVAILABLE');
  });

  it('a refused document extends the TTL of the copy', async () => {
    const { clock, mock, hub } = recordingStage();
    const { lastUpdate } = await hub.merchant.get();
    await clock.advance('11m');
    mock.publishMerchant({ lastUpdate: '2026-01-05T01:00:00Z' });
    const kept = await hub.merchant.get();
    expect(kept).toMatchObject({ lastUpdate, stale: false, expiresAt: clock.now() + 600_000 });
    await clock.advance('9m');
    expect(await hub.merchant.get()).toEqual(kept);
    expect(requestsTo(mock, 'merchant')).toHaveLength(2);
  });

  it('lastUpdate is compared as an instant, in any format and time zone', async () => {
    // Without a zone it is UTC, wherever the process runs.
    vi.stubEnv('TZ', 'America/Sao_Paulo');
    onTestFinished(() => void vi.unstubAllEnvs());
    const { mock, hub, regressions, updates } = recordingStage();
    const { merchant } = await hub.merchant.get();
    const refetch = async (lastUpdate: string) => {
      mock.publishMerchant({ lastUpdate });
      return (await hub.merchant.get({ fresh: true })).merchant;
    };
    // Ever older ones.
    for (const older of [
      '2026-01-05T11:59:59.5',
      '2026-01-05 11:59:58',
      '2026-01-05T08:59:57-03:00',
      'Mon, 05 Jan 2026 11:00:00 GMT',
    ]) {
      const isRead = older.startsWith('2026');
      expect(await refetch(older)).toBe(merchant);
      expect(regressions.at(-1)?.received === older).toBe(isRead);
    }
    expect(await refetch('2026-01-05T09:00:00-03:00')).toBe(merchant);
    expect([regressions.length, updates.length]).toEqual([3, 0]);
    expect(await refetch('2026-01-05T09:00:01-03:00')).not.toBe(merchant);
  });

  it.each([
    undefined,
    'yesterday',
    '',
    'null',
    '05/01/2026',
    '-3',
    '2026-13-45T12:00:00Z',
    '0001-01-01T00:00:00Z',
  ])('the content is compared if lastUpdate is %j', async (lastUpdate) => {
    const { clock, mock, hub, updates } = recordingStage();
    const undated = (change: Json) =>
      mock.publishMerchant((merchant) => {
        const { lastUpdate: _dropped, ...rest } = { ...merchant, ...change };
        return lastUpdate === undefined ? rest : { ...rest, lastUpdate };
      });
    undated({});
    const first = await hub.merchant.get();
    await clock.advance('11m');
    undated({});
    expect((await hub.merchant.get()).merchant).toBe(first.merchant);
    await clock.advance('11m');
    undated({ status: 'UNAVAILABLE' });
    expect((await hub.merchant.get()).merchant.status).toBe('UNAVAILABLE');
    expect(updates).toHaveLength(1);
  });

  it('a copy without lastUpdate takes that of a later document with its content, and keeps it', async () => {
    const { mock, hub, updates, regressions } = recordingStage();
    const { lastUpdate: _, ...undated } = mock.merchant();
    const refetch = async (change: Json) => {
      mock.publishMerchant(() => ({ ...undated, ...change }));
      return await hub.merchant.get({ fresh: true });
    };
    const { merchant } = await refetch({ lastUpdate: 'yesterday' });
    for (const lastUpdate of ['2026-02-02T00:00:00Z', 'yesterday']) {
      expect(await refetch({ lastUpdate })).toMatchObject({ lastUpdate: '2026-02-02T00:00:00Z' });
    }
    const older = { lastUpdate: '2026-01-01T00:00:00Z', status: 'UNAVAILABLE' };
    expect((await refetch(older)).merchant).toBe(merchant);
    expect([updates.length, regressions.length]).toEqual([0, 1]);
  });
});

describe('while the hub fails', () => {
  it('returns the cached copy as stale until maxStaleMs after its TTL, then throws', async () => {
    const { clock, mock, hub } = stage({}, { merchant: { maxStaleMs: 3_600_000 }, retry: { attempts: 1 } });
    const { merchant } = await hub.merchant.get();
    mock.faults.next('merchant', 503, 1000);
    await clock.advance('11m');
    const old = await hub.merchant.get();
    expect(old).toMatchObject({ stale: 'error' });
    expect(old.merchant).toBe(merchant);
    await clock.advance('59m');
    await expect(hub.merchant.get()).resolves.toMatchObject({ stale: 'error' });
    await clock.advance('1m');
    await expect(hub.merchant.get()).rejects.toMatchObject({ code: 'server' });
    mock.faults.clear();
    await clock.advance('1m');
    expect((await hub.merchant.get()).stale).toBe(false);
  });

  it('throws if there is no cached copy', async () => {
    const { mock, hub } = stage();
    mock.faults.next('merchant', 401);
    await expect(hub.merchant.get()).rejects.toMatchObject({ code: 'authentication', which: 'apiKey' });
    expect(mock.requests).toHaveLength(1);
  });

  it('treats a response that is not a merchant document as a failure', async () => {
    const { clock, mock, hub } = stage();
    const { merchant } = await hub.merchant.get();
    for (const body of [[], 7, 'text', null, '<html>login</html>']) {
      await clock.advance('11m');
      mock.faults.next('merchant', { type: 'status', status: 200, body });
      mock.faults.next('merchant', { type: 'status', status: 200, body }, 3);
      const snapshot = await afterAdvance(clock, '1m', hub.merchant.get());
      expect(snapshot).toMatchObject({ stale: 'error' });
      expect(snapshot.merchant).toBe(merchant);
      mock.faults.clear();
    }
  });
});

describe('the copy in the state', () => {
  it('is used after a restart, until the same time as before', async () => {
    const { clock, mock } = stage();
    const state = memoryState();
    const first = clientOf(mock, { clock, state }).hub;
    const { merchant, expiresAt } = await first.merchant.get();
    await first.close();
    await clock.advance('9m');
    const second = clientOf(mock, { clock, state }).hub;
    const restored = await second.merchant.get();
    expect(restored.merchant).toEqual(merchant);
    expect(restored.expiresAt).toBe(expiresAt);
    await clock.advance('2m');
    await second.merchant.get();
    expect(requestsTo(mock, 'merchant')).toHaveLength(2);
  });

  it('is taken at the end of its TTL from another process that has fetched it since', async () => {
    const { clock, mock } = stage();
    const state = memoryState();
    const processes = Array.from({ length: 5 }, () => clientOf(mock, { clock, state }).hub);
    const updates: unknown[] = [];
    for (const { merchant } of processes) merchant.on('updated', ({ current }) => void updates.push(current));
    const held = [];
    for (const { merchant } of processes) held.push((await merchant.get()).merchant);
    await clock.advance('11m');
    for (const [index, { merchant }] of processes.entries())
      expect((await merchant.get()).merchant).toBe(held[index]);
    expect([requestsTo(mock, 'merchant').length, updates]).toEqual([2, []]);
    const lastUpdate = '2026-01-06T00:00:00Z';
    mock.publishMerchant({ lastUpdate });
    await clock.advance('11m');
    for (const { merchant } of processes) expect(await merchant.get()).toMatchObject({ lastUpdate });
    expect([requestsTo(mock, 'merchant').length, updates.length]).toEqual([3, 5]);
    expect(processes.map(({ merchant }) => merchant.peek()?.stale)).toEqual(Array(5).fill(false));
  });

  it('is ignored if it is corrupt, from another store or from an older version', async () => {
    const records: string[] = [];
    const set = (_key: string, value: string) => void records.push(value);
    const { clock, mock: hubOfTwo, hub } = stage({}, { state: stateWith({ set }) });
    await hub.merchant.get();
    hubOfTwo.addStore({ clientId: '2002', clientSecret: 'two', apiKey: 'key-two' });
    await clientOf(hubOfTwo, { clock, apiKey: 'key-two', state: stateWith({ set }) }).hub.merchant.get();
    const later = new ManualClock(clock.now() + 86_400_000);
    await stage({ clock: later }, { clock: later, state: stateWith({ set }) }).hub.merchant.get();
    const [record = '', anotherStores = '', fromTheFuture = ''] = records;
    const now = clock.now();
    const text = record.slice(record.indexOf('\n') + 1);
    expect(text).toContain('"basicInfo"');
    for (const stored of [
      '',
      'x',
      '1\n[',
      '1\n7',
      `${now}\n"text"`,
      `${now}\n{}`,
      `${now}\n{"__proto__":{"id":"polluted"}}`,
      `${now}\n{"value":"token","obtainedAt":1,"lifetimeMs":1}`,
      `${now}\n${text}`,
      record.slice(0, -1),
      record.replace('"basicInfo"', '"basicinfo"'),
      record.replace(String(now), String(now + 1)),
      anotherStores,
      fromTheFuture,
    ]) {
      const { mock, hub: restarted } = stage({}, { state: stateWith({ get: () => stored }) });
      expect((await restarted.merchant.get()).stale).toBe(false);
      expect([stored.slice(0, 80), requestsTo(mock, 'merchant').length]).toEqual([stored.slice(0, 80), 1]);
    }
  });

  it('knows in the next process that the hub has sent an older document', async () => {
    const { clock, mock } = stage();
    const state = memoryState();
    const regressions: unknown[] = [];
    const nextProcess = async () => {
      const { hub } = clientOf(mock, { clock, state });
      hub.merchant.on('regressed', ({ received }) => void regressions.push(received));
      const { lastUpdate } = await hub.merchant.get();
      await hub.close();
      return lastUpdate;
    };
    const newer = await nextProcess();
    const older = '2026-01-05T01:00:00Z';
    mock.publishMerchant({ lastUpdate: older });
    await clock.advance('11m');
    expect([await nextProcess(), await nextProcess()]).toEqual([newer, newer]);
    expect(regressions).toEqual([older]);
    expect(requestsTo(mock, 'merchant')).toHaveLength(2);
    await clock.advance('11m');
    expect([await nextProcess(), await nextProcess()]).toEqual([older, older]);
    expect(regressions).toEqual([older]);
    expect(requestsTo(mock, 'merchant')).toHaveLength(3);
    // That was confirmed: another one that is older still is refused again.
    mock.publishMerchant({ lastUpdate: '2026-01-05T00:00:00Z' });
    await clock.advance('11m');
    expect(await nextProcess()).toBe(older);
  });

  it('of another process stays if the hub has sent an older document', async () => {
    const { clock, mock } = stage();
    const state = memoryState();
    const first = clientOf(mock, { clock, state }).hub;
    await first.merchant.get();
    const lastUpdate = '2026-01-06T00:00:00Z';
    mock.publishMerchant({ lastUpdate });
    await clientOf(mock, { clock, state }).hub.merchant.get({ fresh: true });
    mock.publishMerchant({ lastUpdate: '2026-01-05T01:00:00Z' });
    await first.merchant.get({ fresh: true });
    expect((await clientOf(mock, { clock, state }).hub.merchant.get()).lastUpdate).toBe(lastUpdate);
  });

  it('is read as earlier versions have stored it', async () => {
    const { clock, mock } = stage();
    const fetchedAt = clock.now();
    const text = '{"id":"stored"}';
    const get = (key: string) => {
      const checksum = createHash('sha256').update(`${key}\n${fetchedAt}\n${text}`).digest('base64');
      return `${fetchedAt} ${checksum}\n${text}`;
    };
    const { hub } = clientOf(mock, { clock, state: stateWith({ get }) });
    expect(await hub.merchant.get()).toMatchObject({ fetchedAt, merchant: { id: 'stored' } });
  });

  it('is read once for ten callers', async () => {
    const { clock, mock } = stage();
    const stored = memoryState();
    await clientOf(mock, { clock, state: stored }).hub.merchant.get();
    const get = vi.fn(stored.get.bind(stored));
    const { hub } = clientOf(mock, { clock, state: { ...methodsOf(stored), get } });
    const snapshots = await Promise.all(Array.from({ length: 10 }, () => hub.merchant.get()));
    expect(get).toHaveBeenCalledTimes(1);
    expect(new Set(snapshots.map(({ merchant }) => merchant)).size).toBe(1);
    expect(requestsTo(mock, 'merchant')).toHaveLength(1);
  });

  it('is not used with another API key', async () => {
    const { clock, mock } = stage();
    const state = memoryState();
    mock.addStore({ clientId: '2002', clientSecret: 'two', apiKey: 'key-two', merchant: { id: 'other' } });
    await clientOf(mock, { clock, state }).hub.merchant.get();
    const other = clientOf(mock, { clock, state, apiKey: () => 'key-two' }).hub;
    expect((await other.merchant.get()).merchant.id).toBe('other');
  });
});

describe('reading a response', () => {
  it('leaves out unusable items and keeps the rest of the menu', async () => {
    const { mock, hub } = stage();
    mock.publishMerchant((merchant) => {
      const items = merchant.items as unknown[];
      items.splice(1, 0, null, 7, 'x', [], { name: 'no id' }, { id: { evil: true } });
    });
    const { merchant, issues } = await hub.merchant.get();
    expect(merchant.items).toHaveLength(4);
    expect(issues.filter(({ code }) => code === 'left_out').map(({ path }) => path.join('.'))).toEqual([
      'items.1',
      'items.2',
      'items.3',
      'items.4',
      'items.5',
      'items.6',
    ]);
  });

  it('says what a response is that is not a merchant document', async () => {
    const read = (document: unknown) =>
      answered(
        (hub) => hub.merchant.get(),
        () => Response.json(document),
      );
    await expect(read('x')).rejects.toThrow('not a merchant document: expected an object, got a string');
    await expect(read({ error: 'login' })).rejects.toThrow(
      'not a merchant document: an object with none of the keys id, basicInfo, services',
    );
  });

  it.each([
    ['strict', 'availabilities.0: expected an object, got null'],
    ['strict-spec', 'items.0.status: absent; read as "AVAILABLE" (defaulted)'],
  ] as const)(
    'names the first issue that %s validation does not allow, which need not be the first of all',
    async (validation, message) => {
      const { mock, hub } = stage({}, { merchant: { validation } });
      mock.publishMerchant((merchant) => {
        delete (merchant.items as Json[])[0]?.status;
        return { ...merchant, availabilities: [null] };
      });
      await expect(hub.merchant.get()).rejects.toThrow(message);
    },
  );

  it('throws with the validation strict-spec on an issue that strict allows, whether or not there is a copy', async () => {
    const { mock, hub } = stage({}, { merchant: { validation: 'strict-spec' } });
    await hub.merchant.get();
    mock.publishMerchant((merchant) => void delete (merchant.items as Json[])[0]?.status);
    const strict = clientOf(mock, { merchant: { validation: 'strict' } }).hub;
    expect((await strict.merchant.get()).issues).toMatchObject([{ against: 'spec' }]);
    await expect(hub.merchant.get({ fresh: true })).rejects.toMatchObject({
      code: 'invalid_response',
      issues: [{ path: ['items', 0, 'status'], against: 'spec' }],
    });
  });

  const withWrongLinks = (merchant: Json) => {
    const [item] = merchant.items as [Json];
    (merchant.items as Json[]).push({ ...item });
    (merchant.services as [Json])[0].menuId = 'of no menu';
  };

  it('reports ids that do not exist or are there twice, in every snapshot of the document', async () => {
    const { clock, mock, hub } = stage();
    mock.publishMerchant(withWrongLinks);
    const links = [
      { path: ['items', 4, 'id'], code: 'duplicate', against: 'sense' },
      { path: ['services', 0, 'menuId'], code: 'dangling', against: 'sense' },
    ];
    expect((await hub.merchant.get()).issues).toMatchObject(links);
    await clock.advance('11m');
    expect((await hub.merchant.get()).issues).toMatchObject(links);
    expect(JSON.parse(JSON.stringify(hub.merchant.peek())).issues).toMatchObject(links);
  });

  it('names the paths that the hub sent, also behind entries that were left out', async () => {
    const { mock, hub } = stage();
    mock.publishMerchant((merchant) => {
      withWrongLinks(merchant);
      const [offer] = merchant.itemOffers as [Json];
      offer.optionGroupsId = [null, 'of no group'];
      for (const key of ['items', 'services', 'itemOffers']) (merchant[key] as unknown[]).unshift(null);
    });
    const { issues } = await hub.merchant.get();
    const links = issues.filter(({ code }) => code === 'dangling' || code === 'duplicate');
    expect(links.map(({ path }) => path.join('.'))).toEqual([
      'items.5.id',
      'services.1.menuId',
      'itemOffers.1.optionGroupsId.1',
    ]);
  });

  it('names them also if another document was read before somebody asks', async () => {
    const { mock, hub } = stage();
    mock.publishMerchant(withWrongLinks);
    const whole = await hub.merchant.get();
    mock.publishMerchant((merchant) => {
      for (const key of ['items', 'services']) (merchant[key] as unknown[]).unshift(null);
    });
    await hub.merchant.get({ fresh: true });
    const links = whole.issues.filter(({ code }) => code === 'dangling' || code === 'duplicate');
    expect(links.map(({ path }) => path.join('.'))).toEqual(['items.4.id', 'services.0.menuId']);
  });

  it.each(['strict', 'strict-spec'] as const)('refuses them with the validation %s', async (validation) => {
    const { mock, hub } = stage({}, { merchant: { validation } });
    mock.publishMerchant(withWrongLinks);
    await expect(hub.merchant.get()).rejects.toMatchObject({
      code: 'invalid_response',
      message: expect.stringMatching(/^merchant: items\.4\.id: .* \(duplicate\)$/),
      issues: [{ code: 'duplicate' }, { code: 'dangling' }],
    });
  });

  it('lists 100,000 of them at most, and says that there are more', { tags: 'slow' }, async () => {
    const { mock, hub } = stage();
    mock.publishMerchant((merchant) => {
      merchant.items = Array(100_500).fill({ id: 'a' });
    });
    const { issues } = await hub.merchant.get();
    expect([issues.length, issues[100_000]?.code]).toEqual([100_001, 'left_out']);
  });

  it('checks each item of a document with 10,000 items', async () => {
    const { mock, hub } = stage();
    mock.publishMerchant((merchant) => {
      const [item] = merchant.items as [Json];
      merchant.items = Array.from({ length: 10_000 }, (_, index) => ({
        ...item,
        id: `item-${index}`,
        description: 'x'.repeat(500),
        ...(index % 1000 === 0 && { unit: '8 pieces' }),
      }));
    });
    const { merchant, issues } = await hub.merchant.get();
    expect(merchant.items).toHaveLength(10_000);
    expect(issues.filter(({ code }) => code === 'unknown_value')).toHaveLength(10);
  });
});

/** A memory state with some methods replaced. */
function stateWith(own: Partial<State>): State {
  return { ...methodsOf(memoryState()), ...own };
}
