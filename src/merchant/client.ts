import { type Lifetime, SingleFlight } from '../async/promises.js';
import {
  ClosedError,
  ConfigurationError,
  InvalidResponseError,
  type Issue,
  isLocalFailure,
} from '../errors/index.js';
import { type HubResponse, readJson, textOf } from '../http/body.js';
import type { Call } from '../http/call.js';
import { type CallOptions, callOptionsCheck, limitsKey } from '../http/call-options.js';
import type { Logger } from '../observe/logger.js';
import { Observers } from '../observe/observers.js';
import { upToMaxIssues } from '../reading/issue-collector.js';
import type { Merchant } from '../schemas/merchant.js';
import type { State } from '../state/port.js';
import { type Clock, elapsedMs, isFromFuture, momentOf } from '../time/clock.js';
import {
  type CachedMenu,
  decodeCopy,
  digestOf,
  encodeCopy,
  type MerchantSnapshot,
  snapshotOf,
} from './cached-menu.js';
import type { MerchantEvents, MerchantOptions } from './merchant-options.js';
import { readMerchant, requireValid, ttlMsOf } from './read.js';
import { decideRefresh } from './refresh.js';

interface MerchantClientOptions {
  readonly clock: Clock;
  readonly state: State;
  readonly stateKey: () => string | Promise<string>;
  readonly logger: Logger;
  readonly merchant: MerchantOptions;
  /** The ids of a document that do not exist or are there twice. */
  readonly linkIssues: (merchant: Merchant) => readonly Issue[];
  /** A larger document is refused, in bytes. */
  readonly maxBytes: number;
  readonly send: <T>(call: Call<T>) => Promise<T>;
  readonly lifetime: Lifetime;
}

const checkGetOptions = callOptionsCheck<CallOptions & { readonly fresh?: boolean | undefined }>('fresh');

/**
 * The store's profile and menu, fetched at most once per TTL.
 *
 * After the TTL, all concurrent callers share one request. Its `lastUpdate` and its
 * content decide whether the new document replaces the cached one. The copy is also kept in the state, so that a
 * restarted process does not fetch it again within the TTL.
 *
 * @see Spec §4.2
 */
export class MerchantClient {
  readonly #options: MerchantClientOptions;
  readonly #restoring = new SingleFlight<void>();
  readonly #refresh = new SingleFlight<MerchantSnapshot>();
  readonly #observers: Observers<MerchantEvents>;
  #cached: CachedMenu | undefined;
  #isFailing = false;

  /** @internal */
  constructor(options: MerchantClientOptions) {
    this.#options = options;
    this.#observers = new Observers(options.logger, { updated: true, regressed: true });
  }

  /**
   * Returns the menu: the cached copy within its TTL, otherwise the hub's response.
   *
   * If the request fails, the cached copy is returned with `stale: 'error'`
   * until `maxStaleMs` after its TTL. The errors below are thrown only if there
   * is no such copy.
   *
   * @param options.fresh - send a request even within the TTL. Default: false.
   * @throws {AuthenticationError} the hub refused the API key.
   * @throws {InvalidResponseError} the response is not a merchant document. With `validation: 'strict'` or
   * `'strict-spec'` also for a document with an issue of that kind, whether or not there is a cached copy.
   * @throws {ConfigurationError} an option is wrong or the API key is missing; thrown even if there is a copy.
   * @see Spec §4.2, §2.2
   */
  async get(options: CallOptions & { readonly fresh?: boolean | undefined } = {}): Promise<MerchantSnapshot> {
    return await this.#options.lifetime.run(() => this.#get(checkGetOptions(options)));
  }

  /** Returns the copy in memory, even an expired one; undefined before the first document. Sends no request and does not read the state. */
  peek(): MerchantSnapshot | undefined {
    const cached = this.#cached;
    if (!cached) return undefined;
    if (!this.#isExpired(cached)) return snapshotOf(cached, false);
    return snapshotOf(cached, this.#isFailing ? 'error' : 'expired');
  }

  /**
   * Adds a listener. If it throws, the error is logged.
   *
   * @throws {ConfigurationError} there is no such event, or the listener is not a function.
   */
  on<Name extends keyof MerchantEvents>(
    name: Name,
    listener: (event: MerchantEvents[Name]) => unknown,
  ): this {
    this.#observers.on(name, listener);
    return this;
  }

  /** Removes a listener. */
  off<Name extends keyof MerchantEvents>(
    name: Name,
    listener: (event: MerchantEvents[Name]) => unknown,
  ): this {
    this.#observers.off(name, listener);
    return this;
  }

  async #get({
    fresh = false,
    signal,
    ...limits
  }: ReturnType<typeof checkGetOptions>): Promise<MerchantSnapshot> {
    signal?.throwIfAborted();
    // Another process may have fetched it since.
    if (fresh ? !this.#cached : this.peek()?.stale !== false)
      await this.#restoring.run(() => this.#restore(), signal);
    const cached = this.#cached;
    if (!fresh && cached && !this.#isExpired(cached)) return snapshotOf(cached, false);
    try {
      return await this.#refresh.run(() => this.#fetch(limits), signal, limitsKey(limits));
    } catch (error) {
      if (signal?.aborted) throw error;
      return this.#afterFailure(error);
    }
  }

  async #fetch(limits: CallOptions): Promise<MerchantSnapshot> {
    const { text, ...fetched } = await this.#options.send({
      endpoint: 'merchant',
      ...limits,
      maxBytes: this.#options.maxBytes,
      read: (response) => this.#read(response),
    });
    const isTaken = this.#accept(fetched);
    const cached = this.#cached as CachedMenu;
    await this.#store(cached, isTaken ? text : undefined);
    return snapshotOf(cached, false);
  }

  /** Returns the cached copy while it may be used. Failures of this process (not of the hub) are always thrown. */
  #afterFailure(error: unknown): MerchantSnapshot {
    const cached = this.#cached;
    const { validation, maxStaleMs } = this.#options.merchant;
    const isAlwaysThrown =
      isLocalFailure(error) ||
      error instanceof ClosedError ||
      (validation !== 'lenient' && error instanceof InvalidResponseError && error.issues.length > 0);
    if (!cached || isAlwaysThrown) throw error;
    this.#isFailing = true;
    if (elapsedMs(cached.fetched, this.#options.clock) - cached.ttlMs > maxStaleMs) throw error;
    return snapshotOf(cached, 'error');
  }

  #read(response: HubResponse): CachedMenu & { readonly text: string } {
    const text = textOf(response);
    const digest = digestOf(response.body);
    const fetched = momentOf(this.#options.clock);
    // The same bytes need not be parsed again.
    if (this.#cached?.digest === digest) {
      return { ...this.#cached, fetched, regressedAt: undefined, text };
    }
    return { ...this.#readDocument(readJson('merchant', response)), digest, fetched, text };
  }

  /** The links are checked when somebody asks for the issues, because that takes as long as reading the document. */
  #readDocument(document: unknown): Omit<CachedMenu, 'digest' | 'fetched' | 'regressedAt'> {
    const { linkIssues, merchant: options } = this.#options;
    const { merchant, issues: ofEntries, asSent } = readMerchant(document);
    let all: readonly Issue[] | undefined;
    const issues = (linked: Merchant) => {
      all ??= upToMaxIssues([...ofEntries, ...linkIssues(linked).map(asSent)]);
      return all;
    };
    if (options.validation !== 'lenient') requireValid(issues(merchant), options.validation);
    return { merchant, lastUpdate: merchant.lastUpdate, issues, asSent, ttlMs: ttlMsOf(merchant) };
  }

  /** Carries out what `decideRefresh` decides about the cached copy and a younger one. @returns whether that is taken. */
  #accept(younger: CachedMenu): boolean {
    this.#isFailing = false;
    const held = this.#cached;
    this.#cached = younger;
    if (!held) return true;
    const decision = decideRefresh(held, younger);
    if (decision.action === 'regress') {
      this.#cached = { ...held, fetched: younger.fetched, regressedAt: decision.at };
      const kept = this.peek() as MerchantSnapshot;
      this.#observers.emit('regressed', { held: kept, received: younger.lastUpdate });
      return false;
    }
    // Applications compare documents by identity: the same content must be the same object.
    if (decision.action === 'keep') {
      this.#cached = { ...younger, merchant: held.merchant, lastUpdate: decision.lastUpdate };
    } else {
      const [previous, current] = [snapshotOf(held, false), this.peek() as MerchantSnapshot];
      this.#observers.emit('updated', { previous, current, changes: decision.changes });
    }
    return true;
  }

  /** @param text - of a new copy. Without it, the copy in the state stays, with new times. */
  async #store(cached: CachedMenu, text: string | undefined): Promise<void> {
    const { clock, state, stateKey, merchant } = this.#options;
    try {
      const key = await stateKey();
      const ifEquals = text === undefined ? await state.get(key, clock) : undefined;
      const stored = text ?? decodeCopy(key, ifEquals ?? '')?.text;
      if (stored === undefined) return;
      const { fetched, regressedAt } = cached;
      const record = encodeCopy(key, { fetchedAt: fetched.wall, regressedAt, text: stored });
      await state.set(key, record, { forMs: cached.ttlMs + merchant.maxStaleMs, ifEquals }, clock);
    } catch {
      // The copy in memory is enough for this process.
    }
  }

  /** Takes the copy that another process has stored, if it is younger. A copy that cannot be used is ignored. */
  async #restore(): Promise<void> {
    const { clock, state, stateKey, lifetime } = this.#options;
    try {
      const key = await stateKey();
      const copy = decodeCopy(key, (await state.get(key, clock)) ?? '');
      lifetime.throwIfClosed();
      if (!copy || isFromFuture(copy.fetchedAt, clock)) return;
      const { text, fetchedAt, regressedAt } = copy;
      const known = this.#cached;
      if (known && fetchedAt <= known.fetched.wall) return;
      const monotonic = clock.monotonic() - Math.max(0, clock.now() - fetchedAt);
      const fetched = { monotonic, wall: fetchedAt };
      const digest = digestOf(text);
      const menu = known?.digest === digest ? known : { ...this.#readDocument(JSON.parse(text)), digest };
      this.#accept({ ...menu, fetched, regressedAt });
    } catch (error) {
      if (error instanceof ConfigurationError) throw error;
    }
  }

  #isExpired(cached: CachedMenu): boolean {
    return elapsedMs(cached.fetched, this.#options.clock) >= cached.ttlMs;
  }
}
