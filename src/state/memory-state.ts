import { type Clock, instantAfter } from '../time/clock.js';
import {
  type Lease,
  type LeaseRequest,
  localStates,
  MAX_COUNTED_ATTEMPTS,
  MAX_LIFETIME_MS,
  type Mark,
  type MarkChange,
  RENEW_BELOW,
  type RecallRequest,
  type Reservation,
  type ReservationRequest,
  type SetOptions,
  type Settlement,
  type State,
} from './port.js';

/** A process may have tens of thousands, so each is small. All instants are on the monotonic clock. */
interface Quota {
  /** Replaced, never extended: a longer one is not kept for the few that most have. */
  slots: ReadonlyArray<{ readonly id: string; readonly freeAt: number }>;
  shutUntil: number | undefined;
  /** Kept after a release, without a holder: the next fence must be higher. */
  lease: { readonly holder: string | undefined; readonly until: number; readonly fence: number } | undefined;
}

/** Ids that are marked in one call share it, so it is never changed. */
interface KeptMark extends Mark {
  readonly until: number;
}

/** The marks that end on one day: by key, then by id. */
type Day = Map<string, Map<string, KeptMark>>;

const DAY_MS = 86_400_000;

/** Fewer values are not worth a sweep. */
const MIN_SWEPT = 1000;

const UNKNOWN: KeptMark = { handled: false, attempts: 0, until: Number.NEGATIVE_INFINITY };

/**
 * State in memory, which ends with the object: the default. Pass the same one
 * to several clients of a process, and they share tokens and quotas.
 *
 * Durations are measured on the monotonic clock. A step of the wall clock does
 * not free a quota slot, end a lease or forget a handled event.
 */
export function memoryState(): State {
  const state = new MemoryState();
  localStates.add(state);
  return state;
}

class MemoryState implements State {
  readonly #values = new Map<string, { value: string; until: number }>();
  readonly #quotas = new Map<string, Quota>();
  /**
   * The marks by the number of the day on which they end; a few. A day that is over is dropped as a whole:
   * deleting its ids one by one would take longer the more there are.
   */
  readonly #days = new Map<number, Day>();
  #lastId = 0;
  /** When there are this many values, the expired ones are removed: nobody may ever ask for them again. */
  #sweepAt = MIN_SWEPT;

  get(key: string, clock: Clock): string | undefined {
    const entry = this.#values.get(key);
    if (!entry) return undefined;
    if (entry.until > clock.monotonic()) return entry.value;
    this.#values.delete(key);
    return undefined;
  }

  set(key: string, value: string | undefined, { forMs, ifEquals }: SetOptions, clock: Clock): void {
    if (ifEquals !== undefined && this.get(key, clock) !== ifEquals) return;
    if (value === undefined || forMs <= 0) this.#values.delete(key);
    else this.#values.set(key, { value, until: clock.monotonic() + forMs });
    if (this.#values.size >= this.#sweepAt) this.#sweep(clock.monotonic());
  }

  #sweep(now: number): void {
    for (const [key, { until }] of this.#values) if (until <= now) this.#values.delete(key);
    this.#sweepAt = Math.max(MIN_SWEPT, 2 * this.#values.size);
  }

  /** In a sliding window: each slot becomes free on its own. */
  reserve(key: string, { limit, holdMs, lease: wanted }: ReservationRequest, clock: Clock): Reservation {
    const lease = wanted && this.lease(key, wanted, clock);
    if (lease?.granted === false) return { ...lease, reason: 'leased' };
    const fence = lease && { fence: lease.fence };
    const now = clock.monotonic();
    const quota = this.#quota(key);
    const { shutUntil = now } = quota;
    if (shutUntil > now) return { granted: false, waitMs: shutUntil - now, reason: 'shut', ...fence };
    let soonest = Number.POSITIVE_INFINITY;
    let taken = 0;
    for (const { freeAt } of quota.slots) {
      if (freeAt <= now) continue;
      taken += 1;
      if (freeAt < soonest) soonest = freeAt;
    }
    if (taken < quota.slots.length) quota.slots = quota.slots.filter(({ freeAt }) => freeAt > now);
    if (taken >= limit) return { granted: false, waitMs: soonest - now, reason: 'quota', ...fence };
    this.#lastId += 1;
    const id = String(this.#lastId);
    quota.slots = quota.slots.concat({ id, freeAt: instantAfter(now, holdMs) });
    return { granted: true, id, remaining: limit - quota.slots.length, ...fence };
  }

  settle(key: string, { id, freeInMs = 0, shutMs = 0 }: Settlement, clock: Clock): void {
    const now = clock.monotonic();
    const quota = this.#quota(key);
    if (shutMs > 0) quota.shutUntil = Math.max(quota.shutUntil ?? now, instantAfter(now, shutMs));
    if (id !== undefined) {
      const others = quota.slots.filter((slot) => slot.id !== id);
      quota.slots =
        freeInMs > 0 ? others.concat({ id, freeAt: instantAfter(now, freeInMs) }) : others.slice();
    }
    if (quota.slots.length === 0 && (quota.shutUntil ?? now) <= now && !quota.lease) this.#quotas.delete(key);
  }

  lease(key: string, { holder, leaseMs }: LeaseRequest, clock: Clock): Lease {
    const now = clock.monotonic();
    const quota = this.#quota(key);
    const { lease } = quota;
    const isSame = lease?.holder === holder;
    if (lease && !isSame && lease.until > now) return { granted: false, waitMs: lease.until - now };
    if (leaseMs <= 0) {
      if (isSame) quota.lease = { ...lease, holder: undefined, until: now };
      return { granted: true, fence: lease?.fence ?? 0 };
    }
    // The wall clock makes it grow if the last fence was lost, the last fence if the clock was set back.
    const fence = isSame ? lease.fence : Math.max((lease?.fence ?? 0) + 1, Math.floor(clock.now()));
    quota.lease = { holder, until: now + leaseMs, fence };
    return { granted: true, fence };
  }

  recall(
    key: string,
    ids: readonly string[],
    { handledMs, attemptedMs, count }: RecallRequest,
    clock: Clock,
  ): Mark[] {
    const now = clock.monotonic();
    const chosen = count && new Set(count.ids);
    const first: KeptMark = { handled: false, attempts: 1, until: untilOf(attemptedMs, now) };
    // All are read before the first is written: an id may occur twice.
    const found = ids.map((id) => this.#findMark(key, id, now));
    ids.forEach((id, index) => {
      const mark = found[index] as KeptMark;
      const forMs = mark.handled ? handledMs : attemptedMs;
      const isCounted = !mark.handled && chosen?.has(id) && mark.attempts < (count?.below ?? 0);
      if (isCounted) {
        const counted = mark.attempts === 0 ? first : attempted(mark.attempts + 1, forMs, now);
        this.#keepMark(key, id, counted, now, mark);
      } else if (mark !== UNKNOWN && mark.until - now < forMs * RENEW_BELOW)
        this.#keepMark(key, id, { ...mark, until: untilOf(forMs, now) }, now, mark);
    });
    return found.map(({ handled, attempts }) => ({ handled, attempts }));
  }

  mark(key: string, ids: readonly string[], change: MarkChange, clock: Clock): void {
    const now = clock.monotonic();
    if ('handled' in change) {
      const kept: KeptMark = { handled: true, attempts: 0, until: untilOf(change.forMs, now) };
      for (const id of ids) this.#keepMark(key, id, kept, now, this.#findMark(key, id, now));
      return;
    }
    for (const id of ids) {
      const mark = this.#findMark(key, id, now);
      const attempts = Math.max(0, mark.attempts + change.attempts);
      if (!mark.handled) this.#keepMark(key, id, attempted(attempts, change.forMs, now), now, mark);
    }
  }

  #quota(key: string): Quota {
    let quota = this.#quotas.get(key);
    if (!quota) {
      quota = { slots: [], shutUntil: undefined, lease: undefined };
      this.#quotas.set(key, quota);
    }
    return quota;
  }

  #findMark(key: string, id: string, now: number): KeptMark {
    for (const day of this.#days.values()) {
      const kept = day.get(key)?.get(id);
      // One that has ended may hide a later one in another day.
      if (kept && kept.until > now) return kept;
    }
    return UNKNOWN;
  }

  /** Replaces the mark of an id, which was `previous`; one that has ended removes it. */
  #keepMark(key: string, id: string, kept: KeptMark, now: number, previous: KeptMark): void {
    const last = dayOf(kept);
    if (previous !== UNKNOWN && dayOf(previous) !== last)
      this.#days.get(dayOf(previous))?.get(key)?.delete(id);
    let day = this.#days.get(last);
    if (!day) {
      day = new Map();
      this.#days.set(last, day);
      for (const number of this.#days.keys())
        if (number < Math.floor(now / DAY_MS)) this.#days.delete(number);
    }
    let marks = day.get(key);
    if (!marks) {
      marks = new Map();
      day.set(key, marks);
    }
    if (kept.until <= now) marks.delete(id);
    else marks.set(id, kept);
  }
}

const dayOf = ({ until }: KeptMark) => Math.floor(until / DAY_MS);

function attempted(attempts: number, forMs: number, now: number): KeptMark {
  const until = attempts === 0 ? now : untilOf(forMs, now);
  return { handled: false, attempts: Math.min(attempts, MAX_COUNTED_ATTEMPTS), until };
}

const untilOf = (forMs: number, now: number) => now + Math.min(forMs, MAX_LIFETIME_MS);
