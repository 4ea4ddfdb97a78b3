import type { Clock } from '../../clock.js';
import { ConfigurationError } from '../../errors.js';
import { type Exchanged, exchange } from '../exchange.js';

/** The control API of a running mock hub (`GET /_mock/` describes it). */
export class ControlClient {
  readonly #url: string;
  readonly #clock: Clock;

  constructor(url: string, clock: Clock) {
    this.#url = url.replace(/\/$/, '');
    this.#clock = clock;
  }

  /** @throws {ConfigurationError} no mock hub responds, or it has no such store. */
  get<Result>(path: string): Promise<Result> {
    return this.#request<Result>(path, { headers: { accept: 'application/json' } });
  }

  /** @throws {ConfigurationError} no mock hub responds, or it refuses the input. */
  post<Result>(path: string, body: object): Promise<Result> {
    const headers = { accept: 'application/json', 'content-type': 'application/json' };
    return this.#request<Result>(path, { method: 'POST', headers, body: JSON.stringify(body) });
  }

  async #request<Result>(path: string, init: RequestInit): Promise<Result> {
    const start = 'start one with `npx opendelivery mock`, or give its address with --url';
    let response: Exchanged;
    try {
      response = await exchange(`${this.#url}/_mock/${path}`, init, this.#clock);
    } catch (error) {
      const { message } = error as Error;
      throw new ConfigurationError('--url', `no mock hub responds at ${this.#url} (${message}); ${start}`);
    }
    const body = parsed(response.text);
    if (response.ok && body) return body as Result;
    // All that the options of this command leave to the mock hub to check is the store.
    if (response.status === 400 && body) throw new ConfigurationError('--store', String(body.title));
    throw new ConfigurationError('--url', `the server at ${this.#url} is not a mock hub; ${start}`);
  }
}

/** Undefined: the text is not a JSON object. */
function parsed(text: string): { readonly title?: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
