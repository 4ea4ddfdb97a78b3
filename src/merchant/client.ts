import { createHash } from 'node:crypto';
import { abandonOnAbort } from '../async/abort.js';
import { Observers } from '../async/observers.js';
import { SingleFlight } from '../async/single-flight.js';
import { type Clock, isFromFuture } from '../clock.js';
import {
  ClosedError,
  ConfigurationError,
  InvalidResponseError,
  type Issue,
  isLocalFailure,
} from '../errors.js';
import type { Call } from '../http/call.js';
import { type CallOptions, limitsKey, resolveCallOptions } from '../http/call-options.js';
import { type HubResponse, readJson, scrubIssues, textOf } from '../http/response.js';
import type { Logger } from '../logger.js';
import type { Merchant } from '../schemas/merchant.js';
import type { State } from '../state/port.js';
import { diffMerchants, isUnchanged, type MerchantChanges } from './diff.js';
import { lastUpdateAt, readMerchant, ttlMsOf } from './read.js';

/** A merchant document and how fresh it is. The document of an unchanged menu is the same object. */
export interface MerchantSnapshot {
  readonly merchant: Merchant;
  /** As the hub wrote it. */
  readonly lastUpdate: string | undefined;
  /** Epoch ms of the hub's last answer about it. */
  readonly fetchedAt: number;
  /** Epoch ms at which its TTL ends. */
  readonly expiresAt: number;
  /** False within the TTL; `expired` past it, not asked again yet; `error` past it, the hub failing. */
  readonly stale: false | 'expired' | 'error';
  /** Where the document deviates from the spec (lenient reading). */
  readonly issues: readonly Issue[];
}

export type MerchantEvents = {
  /** Another document took the place of the held one. */
  updated: {
    readonly previous: MerchantSnapshot;
    readonly current: MerchantSnapshot;
    readonly changes: MerchantChanges;
  };
  /** The hub answered with an older `lastUpdate`; the held copy stays until it does so again. */
  regressed: { readonly held: MerchantSnapshot; readonly received: string | undefined };
};

export interface MerchantOptions {
  /** How long past its TTL a copy is served while the hub fails, in ms. */
  readonly maxStaleMs: number;
  /** `lenient` leaves out what cannot be used; `strict` throws on the first issue. */
  readonly validation: 'lenient' | 'strict';
}

export interface MerchantClientOptions {
  readonly clock: Clock;
  readonly state: State;
  readonly stateKey: () => string | Promise<string>;
  readonly logger: Logger;
  readonly merchant: MerchantOptions;
  readonly send: <T>(call: Call<T>) => Promise<T>;
  readonly throwIfClosed: () => void;
}

/** The held copy; times on both clocks, because either may be wrong. */
interface Held {
  readonly merchant: Merchant;
  readonly issues: readonly Issue[];
  readonly digest: string;
  readonly fetchedAt: number;
  readonly fetchedMonotonic: number;
  readonly ttlMs: number;
}

interface Fetched extends Held {
  readonly text: string;
}

/**
 * The store's profile and menu, fetched once per TTL (Spec §4.2).
 *
 * Past the TTL one request serves all callers. A newer `lastUpdate` replaces
 * the copy; an older one does not until the hub repeats it, because one copy
 * dated in the future would otherwise freeze the menu for ever.
 */
export class MerchantClient {
  readonly #options: MerchantClientOptions;
  readonly #refresh = new SingleFlight<MerchantSnapshot>();
  readonly #observers: Observers<MerchantEvents>;
  #held: Held | undefined;
  #failing = false;
  /** `lastUpdate` of an older answer that was not accepted, as an instant. */
  #regressedAt: number | undefined;

  constructor(options: MerchantClientOptions) {
    this.#options = options;
    this.#observers = new Observers(options.logger);
  }

  /**
   * The menu: from memory within its TTL, after it from the hub.
   *
   * @param options.fresh - ask the hub now, whatever the TTL says.
   * @throws {AuthenticationError} the API key was refused; {InvalidResponseError} the answer is no merchant
   * document; or any error of the request: each only when no copy is held that is less than `maxStaleMs` past
   * its TTL, which is served marked `stale: 'error'` otherwise.
   * @throws {InvalidResponseError} always, reading strictly, when the document has an issue.
   * @see Spec §4.2, §2.2
   */
  async get(options: CallOptions & { readonly fresh?: boolean } = {}): Promise<MerchantSnapshot> {
    this.#options.throwIfClosed();
    const { fresh = false, signal, ...limits } = resolveCallOptions(options, 'fresh');
    signal?.throwIfAborted();
    if (!this.#held) await abandonOnAbort(this.#restore(), signal);
    const held = this.#held;
    if (!fresh && held && this.#ageMs(held) < held.ttlMs) return this.#snapshot(held, false);
    try {
      return await this.#refresh.run(() => this.#fetch(limits), signal, limitsKey(limits));
    } catch (error) {
      if (signal?.aborted) throw error;
      return this.#afterFailure(error);
    }
  }

  /** The held copy, however old, without asking anyone. */
  peek(): MerchantSnapshot | undefined {
    const held = this.#held;
    if (!held) return undefined;
    const expired = this.#ageMs(held) >= held.ttlMs;
    return this.#snapshot(held, expired ? (this.#failing ? 'error' : 'expired') : false);
  }

  on<Name extends keyof MerchantEvents>(
    name: Name,
    listener: (event: MerchantEvents[Name]) => unknown,
  ): this {
    this.#observers.on(name, listener);
    return this;
  }

  off<Name extends keyof MerchantEvents>(
    name: Name,
    listener: (event: MerchantEvents[Name]) => unknown,
  ): this {
    this.#observers.off(name, listener);
    return this;
  }

  async #fetch(limits: CallOptions): Promise<MerchantSnapshot> {
    const fetched = await this.#options.send({
      endpoint: 'merchant',
      ...limits,
      read: (answer) => this.#read(answer),
    });
    this.#failing = false;
    return this.#snapshot(await this.#accept(fetched), false);
  }

  /** The old copy while it may be served; what is not the hub's or the network's failure is always thrown. */
  #afterFailure(error: unknown): MerchantSnapshot {
    const held = this.#held;
    const { validation } = this.#options.merchant;
    const told =
      isLocalFailure(error) ||
      error instanceof ClosedError ||
      (validation === 'strict' && error instanceof InvalidResponseError && error.issues.length > 0);
    if (!held || told) throw error;
    this.#failing = true;
    if (this.#ageMs(held) - held.ttlMs > this.#options.merchant.maxStaleMs) throw error;
    return this.#snapshot(held, 'error');
  }

  #read(answer: HubResponse): Fetched {
    const { clock, merchant: options } = this.#options;
    const text = textOf(answer);
    const digest = digestOf(answer.body);
    const times = { fetchedAt: clock.now(), fetchedMonotonic: clock.monotonic() };
    // The cheapest document is the one not parsed.
    if (this.#held?.digest === digest) return { ...this.#held, ...times, text };
    const { merchant, issues: noted } = readMerchant(readJson('merchant', answer), options.validation);
    const issues = scrubIssues(noted, answer.scrub);
    return { merchant, issues, digest, ...times, ttlMs: ttlMsOf(merchant), text };
  }

  /** Decides between the held copy and the one just read. */
  async #accept(fetched: Fetched): Promise<Held> {
    const held = this.#held;
    if (!held) return this.#replace(fetched);
    if (fetched.merchant === held.merchant) {
      this.#regressedAt = undefined;
      return this.#replace(fetched);
    }
    const heldAt = lastUpdateAt(held.merchant);
    const fetchedAt = lastUpdateAt(fetched.merchant);
    const dated = heldAt !== undefined && fetchedAt !== undefined;
    // The hub means it when it says so again, or goes on from there.
    const isConfirmed =
      fetchedAt !== undefined && this.#regressedAt !== undefined && fetchedAt >= this.#regressedAt;
    if (dated && fetchedAt < heldAt && !isConfirmed) return this.#regress(held, fetched, fetchedAt);
    this.#regressedAt = undefined;
    const changes = diffMerchants(held.merchant, fetched.merchant);
    if (!(dated && heldAt !== fetchedAt) && isUnchanged(changes)) {
      // Other bytes, the same content: whoever holds the document keeps the same object.
      return this.#replace({ ...fetched, merchant: held.merchant });
    }
    const previous = this.#snapshot(held, false);
    await this.#replace(fetched);
    this.#observers.emit('updated', { previous, current: this.#snapshot(fetched, false), changes });
    return fetched;
  }

  #regress(held: Held, fetched: Fetched, at: number): Held {
    this.#regressedAt = at;
    const { fetchedAt, fetchedMonotonic } = fetched;
    this.#held = { ...held, fetchedAt, fetchedMonotonic };
    this.#observers.emit('regressed', {
      held: this.#snapshot(this.#held, false),
      received: fetched.merchant.lastUpdate,
    });
    return this.#held;
  }

  async #replace({ text, ...held }: Fetched): Promise<Held> {
    this.#held = held;
    const { clock, state, stateKey, merchant } = this.#options;
    try {
      const key = await stateKey();
      const record = `${held.fetchedAt} ${sealOf(key, held.fetchedAt, text)}\n${text}`;
      await state.set(key, record, held.ttlMs + merchant.maxStaleMs, clock);
    } catch {
      // Good for this process all the same.
    }
    return held;
  }

  /** The copy a run before this one left; one that is not whole, or another store's, is a miss. */
  async #restore(): Promise<void> {
    const { clock, state, stateKey, merchant: options } = this.#options;
    try {
      const key = await stateKey();
      const stored = await state.get(key, clock);
      if (stored === undefined || this.#held) return;
      const end = stored.indexOf('\n');
      const [at, seal] = stored.slice(0, end).split(' ');
      const fetchedAt = Number(at);
      const text = stored.slice(end + 1);
      if (seal !== sealOf(key, fetchedAt, text) || isFromFuture(fetchedAt, clock)) return;
      const { merchant, issues } = readMerchant(JSON.parse(text), options.validation);
      const fetchedMonotonic = clock.monotonic() - Math.max(0, clock.now() - fetchedAt);
      const ttlMs = ttlMsOf(merchant);
      this.#held = { merchant, issues, digest: digestOf(text), fetchedAt, fetchedMonotonic, ttlMs };
    } catch (error) {
      if (error instanceof ConfigurationError) throw error;
    }
  }

  #ageMs(held: Held): number {
    const { clock } = this.#options;
    return Math.max(clock.now() - held.fetchedAt, clock.monotonic() - held.fetchedMonotonic);
  }

  #snapshot(held: Held, stale: MerchantSnapshot['stale']): MerchantSnapshot {
    const { merchant, fetchedAt, ttlMs, issues } = held;
    return {
      merchant,
      lastUpdate: merchant.lastUpdate,
      fetchedAt,
      expiresAt: fetchedAt + ttlMs,
      stale,
      issues,
    };
  }
}

/** What any JSON could be taken for a menu without: an empty one is a menu too. */
function sealOf(key: string, fetchedAt: number, text: string): string {
  return digestOf(`${key}\n${fetchedAt}\n${text}`);
}

function digestOf(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('base64');
}
