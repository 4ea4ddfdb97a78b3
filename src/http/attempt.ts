import { abandonOnAbort } from '../async/abort.js';
import type { Clock } from '../clock.js';
import type { EndpointName } from '../endpoints.js';
import type { ActiveCall } from './active-call.js';
import type { Authorization } from './call.js';
import { Exchange, type ExchangeOptions } from './exchange.js';
import type { Slot } from './lane.js';
import type { Patience } from './slot-queue.js';

export interface AttemptOptions extends ExchangeOptions {
  /** Whose quota a request counts against. */
  readonly scope: (endpoint: EndpointName) => Promise<string>;
  /** How long a call waits for its slot, within its deadline. */
  readonly patience: Patience;
  /** Obtains the credential of one request; undefined if the endpoint needs none. */
  readonly authorize: (endpoint: EndpointName, signal: AbortSignal) => Promise<Authorization | undefined>;
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
      const { authorization, slot } = await this.#admit(active);
      const response = await this.#exchange.run(active, attempt, authorization, slot);
      const { status, error } = response;
      if (!error) {
        const value = active.call.read(response);
        return value instanceof Promise ? await abandonOnAbort(value, active.signal) : value;
      }
      if (status !== 401 || isReplay || !(await this.#hasAnother(active, authorization))) throw error;
    }
  }

  /**
   * Obtains a credential and a slot that are both recent. The credential comes
   * first, because a token may take long; it is obtained again after a long wait
   * for the slot, because it may have expired meanwhile. The place among the
   * requests in flight comes last, because obtaining a token needs one too. A slot is never kept
   * during a long wait, and not used after one: it would become free and be used twice.
   */
  async #admit(active: ActiveCall<unknown>): Promise<Admission> {
    const { clock, governor, transport } = this.#options;
    let authorization = await this.#authorize(active);
    while (true) {
      const authorizedAt = clock.monotonic();
      const slot = await this.#reserve(active);
      const grantedAt = clock.monotonic();
      try {
        if (grantedAt - authorizedAt > STALE_MS) authorization = await this.#authorize(active);
        await transport.enter(active.signal);
      } catch (error) {
        await governor.release(slot);
        throw error;
      }
      if (clock.monotonic() - grantedAt <= STALE_MS && governor.mayUse(slot)) return { authorization, slot };
      transport.leave();
      await governor.release(slot);
    }
  }

  async #authorize(active: ActiveCall<unknown>): Promise<Authorization | undefined> {
    const { call, signal } = active;
    try {
      return await abandonOnAbort(this.#options.authorize(call.endpoint, signal), signal);
    } catch (error) {
      active.hasNoCredential = true;
      throw error;
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

  async #reserve({ call, signal, timeoutMs, deadlineAt }: ActiveCall<unknown>): Promise<Slot> {
    const { clock, governor, patience } = this.#options;
    const { endpoint, limit, lease } = call;
    const scope = await abandonOnAbort(this.#options.scope(endpoint), signal);
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
