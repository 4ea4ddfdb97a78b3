import { createHash, randomUUID } from 'node:crypto';
import type { Clock, Lease, LeaseRequest, State } from 'opendelivery-client';

/** Documents by key, in any database that can write one only if nobody else has written it. */
export interface DocumentTable {
  /** The document and its version (without a document: undefined and 0), and the time of the database in epoch ms. */
  read(key: string, clock: Clock): Promise<{ document?: string | undefined; version: number; now: number }>;
  /** Writes version + 1 if the present version is this one, otherwise returns false. */
  write(key: string, document: string, version: number): Promise<boolean>;
}

/** An entry of a document, with its end and the full duration up to that. */
type Entry = Data & { endsAt: number; forMs: number };
type Data = { text?: string; holder?: string; fence?: number; handled?: boolean; attempts?: number };

/** The entries of a document that have not expired, by name. */
class Entries extends Map<string, Entry> {
  readonly now: number;
  constructor(document: string, now: number) {
    super(JSON.parse(document));
    this.now = now;
    for (const [name, entry] of this) {
      // If the clock was set back, nothing lasts longer than its full duration from now.
      entry.endsAt = Math.min(entry.endsAt, now + entry.forMs);
      if (entry.endsAt <= now) this.delete(name);
    }
  }
  leftMs(name: string) {
    return (this.get(name)?.endsAt ?? this.now) - this.now;
  }
  keep(name: string, ms: number, data: Data = {}) {
    const forMs = Math.min(Math.ceil(ms), 3650 * 86_400_000);
    if (forMs <= 0) this.delete(name);
    else this.set(name, { ...data, forMs, endsAt: this.now + forMs });
  }
  lease({ holder, leaseMs }: LeaseRequest): Lease {
    const { holder: last, fence = 0 } = this.get('last') ?? {};
    const isRefused = last !== holder && (this.has('lease') || leaseMs <= 0);
    if (isRefused) return { granted: false, waitMs: this.leftMs('lease') };
    const next = last === holder ? fence : Math.max(fence + 1, this.now);
    this.keep('last', Number.POSITIVE_INFINITY, leaseMs > 0 ? { holder, fence: next } : { fence: next });
    this.keep('lease', leaseMs);
    return { granted: true, fence: next };
  }
}

export function documentState(table: DocumentTable): State {
  /** Reads, changes, and writes if nobody else has written; otherwise again. */
  async function change<T>(key: string, clock: Clock, work: (entries: Entries) => T): Promise<T> {
    for (;;) {
      const { document = '[]', version, now } = await table.read(key, clock);
      const entries = new Entries(document, Math.ceil(now));
      const result = work(entries);
      const changed = JSON.stringify([...entries]);
      if (changed === document || (await table.write(key, changed, version))) return result;
    }
  }
  /** Each mark has a document: a store has thousands. Its id may be longer than a key. An id that occurs twice is changed once. */
  function changeMarks<T>(
    key: string,
    ids: readonly string[],
    clock: Clock,
    work: (entries: Entries, id: string) => T,
  ) {
    const results = new Map<string, Promise<T>>();
    const changeOne = (id: string) => {
      const markKey = `${key}:${createHash('sha256').update(id, 'utf16le').digest('hex')}`;
      const result = results.get(id) ?? change(markKey, clock, (entries) => work(entries, id));
      results.set(id, result);
      return result;
    };
    return Promise.all(ids.map(changeOne));
  }
  return {
    get: (key, clock) => change(key, clock, (entries) => entries.get('value')?.text),
    set: (key, text, { forMs, ifEquals }, clock) =>
      change(key, clock, (entries) => {
        if (ifEquals !== undefined && entries.get('value')?.text !== ifEquals) return;
        if (text === undefined) entries.delete('value');
        else entries.keep('value', forMs, { text });
      }),
    lease: (key, request, clock) => change(key, clock, (entries) => entries.lease(request)),
    reserve: (key, { limit, holdMs, lease }, clock) =>
      change(key, clock, (entries) => {
        const acquired = lease && entries.lease(lease);
        if (acquired?.granted === false) return { ...acquired, reason: 'leased' };
        const fence = acquired && { fence: acquired.fence };
        const shutMs = entries.leftMs('shut');
        if (shutMs > 0) return { granted: false, waitMs: shutMs, reason: 'shut', ...fence };
        const slots = [...entries.keys()].filter((name) => name.startsWith('slot:'));
        const waitMs = Math.min(...slots.map((name) => entries.leftMs(name)));
        if (slots.length >= limit) return { granted: false, waitMs, reason: 'quota', ...fence };
        const id = randomUUID();
        entries.keep(`slot:${id}`, holdMs);
        return { granted: true, id, remaining: limit - slots.length - 1, ...fence };
      }),
    settle: (key, { id, freeInMs = 0, shutMs = 0 }, clock) =>
      change(key, clock, (entries) => {
        if (id !== undefined) entries.keep(`slot:${id}`, freeInMs);
        if (shutMs > entries.leftMs('shut')) entries.keep('shut', shutMs);
      }),
    recall: (key, ids, { handledMs, attemptedMs, count }, clock) => {
      const counted = new Set(count?.ids);
      return changeMarks(key, ids, clock, (entries, id) => {
        const { handled = false, attempts = 0 } = entries.get('mark') ?? {};
        const fullMs = handled ? handledMs : attemptedMs;
        const isCounted = !handled && counted.has(id) && attempts < (count?.below ?? 0);
        if (isCounted) entries.keep('mark', fullMs, { attempts: attempts + 1 });
        else if (entries.has('mark') && entries.leftMs('mark') < fullMs * 0.75)
          entries.keep('mark', fullMs, { handled, attempts });
        return { handled, attempts };
      });
    },
    mark: async (key, ids, request, clock) => {
      await changeMarks(key, ids, clock, (entries) => {
        const { handled = false, attempts = 0 } = entries.get('mark') ?? {};
        if ('handled' in request) return entries.keep('mark', request.forMs, { handled: true });
        const changed = attempts + request.attempts;
        if (!handled) entries.keep('mark', changed > 0 ? request.forMs : 0, { attempts: changed });
      });
    },
  };
}
