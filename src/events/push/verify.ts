import { createHmac, timingSafeEqual } from 'node:crypto';
import { unlessFails } from '../../async/promises.js';
import type { Account } from '../../auth/account.js';
import { ConfigurationError, PushRefusedError } from '../../errors/index.js';
import { collectWeb } from '../../http/body.js';
import type { Secret } from '../../options/checks.js';
import { instantOf } from '../../schemas/date-time.js';
import type { OrderEvent } from '../../schemas/event.js';
import type { Services } from '../../services/services.js';
import { type Clock, startTimer } from '../../time/clock.js';
import { type PollResult, readEvents } from '../read.js';

interface PushVerifierOptions {
  readonly services: Services;
  /** Its client secret signs; the account may be replaced. */
  readonly store: { readonly account: Account };
  /** The hub may sign with them instead of the client secret. */
  readonly secrets: readonly Secret[];
  /** The name of the option that they come from. */
  readonly option: 'pushSecrets' | 'secrets';
}

/** An event has less than a kilobyte. Anybody can send a body and wait. */
const MAX_BODY_BYTES = 262_144;

const BODY_TIMEOUT_MS = 30_000;

/** Requests whose body a parser has read and `nodeHandler` has written again: it may differ from what was signed. */
const rewritten = new WeakSet<Request>();

export const noteRewritten = (request: Request) => void rewritten.add(request);

/** Checks who has pushed events, and reads them. It handles none. */
export class PushVerifier {
  readonly #options: PushVerifierOptions;
  /** What is being read, for all pushes: strangers must not be able to call the function of a secret as often as they like. */
  #reads: readonly Promise<string | undefined>[] | undefined;

  constructor(options: PushVerifierOptions) {
    this.#options = options;
  }

  /**
   * @param rememberMs - how long a handled event is remembered.
   * @throws {PushRefusedError} the request is not a push of the hub, or not a recent one.
   * @throws {ConfigurationError} it is not a web `Request`; there is no secret; or no known one fits, and another is not usable.
   * @throws {TimeoutError} no known secret fits, and the function of another one did not return.
   */
  async verify(request: Request, rememberMs: number): Promise<PollResult> {
    const { services, store } = this.#options;
    const signature = signatureOf(request, services.options.profile.webhook.unsigned);
    const body = await readBody(request, services.clock);
    if (!(await this.#isSigned(body, signature))) {
      throw rewritten.has(request)
        ? rawBytesMissing('was parsed, and its bytes were lost')
        : wrongSignature();
    }
    const now = services.clock.now();
    let found: PollResult;
    try {
      found = readEvents(JSON.parse(new TextDecoder().decode(body)), (text) => store.account.quote(text));
    } catch {
      throw new PushRefusedError(400, 'the body is not an event in JSON');
    }
    if (found.events.length === 0) throw new PushRefusedError(400, 'the body has no event with usable ids');
    if (!found.events.every((event) => isRecent(event, now, rememberMs))) {
      throw new PushRefusedError(403, 'createdAt is missing, unreadable, or too far from the present time');
    }
    const merchantId = request.headers.get('x-app-merchantid')?.trim();
    return merchantId
      ? { ...found, events: found.events.map((event) => ofMerchant(event, merchantId)) }
      : found;
  }

  /** @throws why a secret is not known, if no other one fits: the hub must send the push again. */
  async #isSigned(body: Uint8Array, signature: string): Promise<boolean> {
    const { store, secrets } = this.#options;
    const { account } = store;
    const isString = (secret: Secret | undefined) => typeof secret === 'string';
    const strings = secrets.filter(isString);
    if (strings.length > 0) account.remember(...strings);
    // Functions are called only if no string fits: each may take its time.
    if (isSignedBy(body, signature, [account.clientSecret, ...strings].filter(isString))) return true;
    this.#reads ??= this.#read();
    const checks = this.#reads.map(async (read) =>
      isSignedBy(body, signature, [await read].filter(isString)),
    );
    const isTrue = async (check: Promise<boolean>) => (await check) || Promise.reject();
    if (await unlessFails(() => Promise.any(checks.map(isTrue)))) return true;
    await Promise.all(checks);
    return false;
  }

  #read(): readonly Promise<string | undefined>[] {
    const { services, store, secrets, option } = this.#options;
    const reads = services.credentials.ofSignatures(store.account, secrets, option);
    void Promise.allSettled(reads).then(() => {
      this.#reads = undefined;
    });
    return reads;
  }
}

/**
 * Whether the event is handled only once, however often somebody sends it. The signature has no date, so an old
 * push may be sent again by anybody who has recorded it; `createdAt` tells whether the mark of its first handling
 * must still exist. The hub's clock may be ahead by a quarter of `rememberMs`: it is accepted that much earlier,
 * and refused that much before the mark ends.
 */
function isRecent({ createdAt }: OrderEvent, now: number, rememberMs: number): boolean {
  const ageMs = now - (instantOf(createdAt) ?? Number.NaN);
  return ageMs <= rememberMs * 0.75 && -ageMs <= rememberMs * 0.25;
}

/**
 * The signature of a request that needs no body to be refused.
 *
 * @param unsigned - the status of a push without one.
 */
function signatureOf(request: Request, unsigned: 401 | 403): string {
  if (typeof (request as Partial<Request> | undefined)?.headers?.get !== 'function') {
    throw new ConfigurationError(
      'request',
      'must be a web Request; nodeHandler makes one of a request of node:http or Express',
    );
  }
  const { method, headers } = request;
  if (method !== 'POST') throw new PushRefusedError(405, 'send POST');
  const signature = headers.get('x-app-signature')?.trim();
  if (!signature) throw new PushRefusedError(unsigned, 'the header X-App-Signature is missing');
  if (!HEX.test(signature)) throw wrongSignature();
  return signature;
}

/** Reads the body of a request, and refuses a large or slow one. */
async function readBody(request: Request, clock: Clock): Promise<Uint8Array> {
  const tooLarge = () => new PushRefusedError(413, `the body has more than ${MAX_BODY_BYTES} bytes`);
  if (request.bodyUsed || request.body?.locked) throw rawBytesMissing('was read before');
  if (Number(request.headers.get('content-length')) > MAX_BODY_BYTES) throw tooLarge();
  if (!request.body) return new Uint8Array();
  const controller = new AbortController();
  const cancelTimer = startTimer(clock, BODY_TIMEOUT_MS, () => controller.abort());
  try {
    const { body, cut } = await collectWeb(request.body, MAX_BODY_BYTES, controller.signal);
    if (!cut) return body;
  } catch {
    throw new PushRefusedError(408, 'the body did not arrive');
  } finally {
    cancelTimer();
  }
  throw tooLarge();
}

const wrongSignature = () =>
  new PushRefusedError(403, 'X-App-Signature is not the HMAC-SHA256 of the body with the client secret');

/** Only the application can correct it. */
function rawBytesMissing(what: string): PushRefusedError {
  const remedy =
    'verify it before any body parser, or keep the raw bytes, which the signature covers: ' +
    'express.json({ verify: (request, response, bytes) => { request.rawBody = bytes } }); ' +
    "in Fastify addContentTypeParser('application/json', { parseAs: 'buffer' }, …) and a Request with that body";
  const cause = new ConfigurationError('request', `its body ${what}`);
  return new PushRefusedError(503, `the body of the request ${what}; ${remedy}`, { cause });
}

/** The event with its shop. */
const ofMerchant = (event: OrderEvent, merchantId: string): OrderEvent =>
  Reflect.get(event, 'merchantId') ? event : Object.freeze({ ...event, merchantId });

/** The length of an HMAC-SHA256 in hex. */
const HEX = /^[0-9a-f]{64}$/i;

/**
 * Whether the signature is the HMAC-SHA256 of the bytes with one of the secrets, in hex. It takes the same time
 * whichever secret fits, and whichever digit differs.
 */
function isSignedBy(bytes: Uint8Array, signature: string, secrets: readonly string[]): boolean {
  const given = Buffer.from(signature, 'hex');
  let fits = false;
  for (const secret of secrets) {
    const isEqual = timingSafeEqual(createHmac('sha256', secret).update(bytes).digest(), given);
    fits ||= isEqual;
  }
  return fits;
}
