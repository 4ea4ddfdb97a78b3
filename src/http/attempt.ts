import { abandonOnAbort } from '../async/abort.js';
import type { Clock } from '../clock.js';
import type { EndpointName } from '../endpoints.js';
import type { MaybePromise } from '../state/port.js';
import type { ActiveCall } from './active-call.js';
import type { Authorization } from './call.js';
import { Exchange, type ExchangeOptions } from './exchange.js';
import type { Slot } from './lane.js';
import type { Patience } from './slot-queue.js';

export interface AttemptOptions extends ExchangeOptions {
  /** Whose quota a request counts against. */
  readonly scope: (endpoint: EndpointName) => MaybePromise<string>;
  /** How long a call waits for its slot, within its deadline. */
  readonly patience: Patience;
  /** Obtains the credential of one request; undefined if the endpoint needs none. */
  readonly authorize: (
    endpoint: EndpointName,
    signal: AbortSignal,
  ) => MaybePromise<Authorization | undefined>;
}

/** If obtaining the slot (or the credential) took longer than this, obtain the other one again. */
const STALE_MS = 1000;

interface Admission {
  readonly authorization: Authorization | undefined;
  readonly slot: Slot;
}

/** One attempt of a call: obtains a credential and a slot, sends, then returns the value or throws a typed error. */
export class Attempt {
  readonly #options: AttemptOptions;
  readonly #exchange: Exchange;

  constructor(options: AttemptOptions) {
    this.#options = options;
    this.#exchange = new Exchange(options);
  }

  /** A 401 is followed by at most one replay, with another credential; it belongs to the same attempt. */
  async run<T>(active: ActiveCall<T>, attempt: number): Promise<T> {
    const { clock, transport } = this.#options;
    for (let isReplay = false; ; isReplay = true) {
      if (!transport.isReady()) await abandonOnAbort(loadTransport(clock, transport), active.signal);
      const admission = this.#admitNow(active);
      const { authorization, slot } = admission instanceof Promise ? await admission : admission;
      const response = await this.#exchange.run(active, attempt, authorization, slot);
      const { status, error } = response;
      if (!error) {
        const value = active.call.read(response);
        return value instanceof Promise ? await abandonOnAbort(value, active.signal) : value;
      }
      if (status !== 401 || isReplay || !(await this.#hasAnother(active, authorization))) throw error;
    }
  }

  /** Credential and slot without waiting if both are at hand, as they usually are. */
  #admitNow(active: ActiveCall<unknown>): MaybePromise<Admission> {
    const authorization = this.#authorize(active);
    if (authorization instanceof Promise) return this.#admit(active, authorization);
    const slot = this.#reserve(active);
    if (slot instanceof Promise) return this.#admit(active, authorization, slot);
    const place = this.#options.transport.enter(active.signal);
    return place ? this.#admit(active, authorization, slot, place) : { authorization, slot };
  }

  /**
   * Obtains a credential and a slot that are both recent. The credential comes
   * first, because a token may take long; it is obtained again after a long wait
   * for the slot, because it may have expired meanwhile. The place among the
   * requests in flight comes last, because obtaining a token needs one too. A slot is never kept
   * during a long wait, and not used after one: it would become free and be used twice.
   */
  async #admit(
    active: ActiveCall<unknown>,
    pendingAuthorization: MaybePromise<Authorization | undefined>,
    pendingSlot?: MaybePromise<Slot>,
    pendingPlace?: Promise<void>,
  ): Promise<Admission> {
    const { clock, governor, transport } = this.#options;
    let pending = pendingSlot;
    let place = pendingPlace;
    let authorization = await pendingAuthorization;
    while (true) {
      const authorizedAt = clock.monotonic();
      const slot = await (pending ?? this.#reserve(active));
      pending = undefined;
      const grantedAt = clock.monotonic();
      try {
        if (grantedAt - authorizedAt > STALE_MS) authorization = await this.#authorize(active);
        await (place ?? transport.enter(active.signal));
        place = undefined;
      } catch (error) {
        await governor.release(slot);
        throw error;
      }
      if (clock.monotonic() - grantedAt <= STALE_MS && governor.mayUse(slot)) return { authorization, slot };
      transport.leave();
      await governor.release(slot);
    }
  }

  #authorize(active: ActiveCall<unknown>): MaybePromise<Authorization | undefined> {
    const withoutCredential = (error: unknown): never => {
      active.hasNoCredential = true;
      throw error;
    };
    try {
      const authorization = this.#options.authorize(active.call.endpoint, active.signal);
      if (!(authorization instanceof Promise)) return authorization;
      return abandonOnAbort(authorization, active.signal).catch(withoutCredential);
    } catch (error) {
      return withoutCredential(error);
    }
  }

  /** The hub rejected the credential: whether there is another one. */
  async #hasAnother(active: ActiveCall<unknown>, authorization: Authorization | undefined): Promise<boolean> {
    if (!authorization) return false;
    try {
      return await abandonOnAbort(authorization.onRejected(active.signal), active.signal);
    } catch (error) {
      active.hasNoCredential = true;
      throw error;
    }
  }

  #reserve(active: ActiveCall<unknown>): MaybePromise<Slot> {
    const scope = this.#options.scope(active.call.endpoint);
    if (typeof scope === 'string') return this.#reserveIn(scope, active);
    return abandonOnAbort(scope, active.signal).then((found) => this.#reserveIn(found, active));
  }

  #reserveIn(
    scope: string,
    { call, signal, timeoutMs, deadlineAt }: ActiveCall<unknown>,
  ): MaybePromise<Slot> {
    const { clock, governor, patience } = this.#options;
    const { endpoint, limit, lease } = call;
    const leftMs = Math.max(0, deadlineAt - clock.monotonic());
    const own = call.patience ?? { ...patience, shutMs: Math.min(patience.shutMs, leftMs) };
    return governor.reserve(endpoint, scope, own, signal, { limit, lease, timeoutMs });
  }
}

/** Loads undici before the deadline starts, with virtual time held. */
async function loadTransport(clock: Clock, transport: ExchangeOptions['transport']): Promise<void> {
  const release = clock.hold?.();
  await transport.prepare().finally(release);
}
