import type { Clock } from '../clock.js';
import type { Fetch } from '../http/fetch.js';

interface Recorded {
  readonly path: string;
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
  readonly at: number;
}

/** Keeps the hub's answers as they came, which a client that reads tolerantly no longer shows. */
export class Recorder {
  readonly #answers: Recorded[] = [];
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  readonly fetch: Fetch = async (url, init) => {
    const response = await globalThis.fetch(url, init);
    const body = await response.clone().text();
    const { status, headers } = response;
    this.#answers.push({
      path: new URL(url).pathname,
      status,
      headers,
      body,
      at: this.#clock.now(),
    });
    return response;
  };

  /** How the token answer says its lifetime (field notes: a number, a text, an instant, or not at all). */
  tokenForm(): readonly string[] {
    const answer = this.#of('/token');
    const { expires_in, expiresIn } = (parsed(answer) ?? {}) as Record<string, unknown>;
    const given = expires_in ?? expiresIn;
    if (given === undefined) return ['says no lifetime; one hour is assumed'];
    if (Number(given) > 1e11) return ['says the expiry as an instant, not in seconds'];
    if (typeof given === 'string') return ['says the lifetime as a text'];
    return [];
  }

  /** How a poll without events looks. */
  emptyForm(): string {
    const answer = this.#of('polling');
    const body = answer?.body.trim() ?? '';
    return `no events: ${answer?.status}${body === '' ? ' without a body' : ` with ${body.slice(0, 40)}`}`;
  }

  /** What holds for all its answers. */
  overall(): readonly string[] {
    const answers = this.#answers;
    if (answers.length === 0) return ['not one answer came'];
    const limited = answers.filter(({ headers }) => headers.has('x-ratelimit-limit'));
    const refused = answers.filter(({ status }) => status === 429);
    const dated = answers.find(({ headers }) => headers.has('date'));
    const aheadMs = dated ? Date.parse(dated.headers.get('date') ?? '') - dated.at : Number.NaN;
    return [
      limited.length === 0
        ? 'sends no X-RateLimit headers; the limits of Spec §8 are kept without them'
        : `sends X-RateLimit headers on ${limited.length} of ${answers.length} answers`,
      ...refused.map(
        ({ path, headers }) => `429 at ${path}, Retry-After: ${headers.get('retry-after') ?? 'none'}`,
      ),
      ...(refused.length === 0 ? ['no 429 came, so the form of Retry-After was not seen'] : []),
      ...(Math.abs(aheadMs) > 5000
        ? [
            `its clock is ${Math.round(Math.abs(aheadMs) / 1000)} s ${aheadMs > 0 ? 'ahead of' : 'behind'} this machine's`,
          ]
        : []),
    ];
  }

  #of(part: string): Recorded | undefined {
    return this.#answers.findLast(({ path }) => path.includes(part));
  }
}

function parsed(answer: Recorded | undefined): unknown {
  try {
    return JSON.parse(answer?.body ?? '');
  } catch {
    return undefined;
  }
}
