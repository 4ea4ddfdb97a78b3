import type { HubClient } from '../../client.js';
import type { Fetch, FetchInit } from '../../http/fetch.js';
import type { EndpointName } from '../../hub/endpoints.js';
import { tokensIn } from '../exchange.js';
import type { Terminal } from '../terminal.js';
import type { Exchange, Purpose } from './checks/observed.js';

/** A longer body is not kept; the client reads on, up to its own limit. */
const MAX_BODY_BYTES = 4 * 1024 * 1024;

const HEADERS = [
  'content-type',
  'date',
  'retry-after',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
];

/** A request, its response, and what must be sent to repeat it. */
export interface Recorded extends Exchange {
  readonly url: string;
  readonly init: FetchInit;
  /** When the response began, in epoch ms. */
  readonly respondedAt: number;
}

type Recording = { -readonly [Key in keyof Recorded]: Recorded[Key] };

/**
 * Records the exchanges of the doctor, which the client does not show because it reads responses leniently.
 * Secrets in them are not masked: the caller must mask what it prints.
 */
export class Recorder {
  /** In the order in which the requests were sent. */
  readonly exchanges: Recorded[] = [];
  /** Of the next request. */
  endpoint: EndpointName = 'token';
  /** Of the next requests. */
  purpose: Purpose = 'first';
  readonly #terminal: Terminal;
  readonly #ending: AbortSignal | undefined;

  /** @param ending - ends every request. */
  constructor(terminal: Terminal, ending?: AbortSignal) {
    this.#terminal = terminal;
    this.#ending = ending;
  }

  /** Learns from the client to which endpoints its requests go: their addresses may have any form. */
  watch(hub: HubClient): void {
    hub.on('request', ({ endpoint }) => {
      this.endpoint = endpoint;
    });
  }

  get hosts(): readonly string[] {
    return [...new Set(this.exchanges.map(({ url }) => new URL(url).host))];
  }

  readonly fetch: Fetch = async (url, init) => {
    const recorded: Recording = {
      endpoint: this.endpoint,
      purpose: this.purpose,
      url,
      init,
      at: this.#terminal.clock.now(),
      respondedAt: 0,
      status: undefined,
      headers: {},
      body: undefined,
    };
    this.exchanges.push(recorded);
    // A token from an earlier run is in no response of this run, so it is registered here.
    this.#terminal.redactor.addTemporary((init.headers.authorization ?? '').replace(/^Bearer /, ''));
    const signal = this.#ending ? AbortSignal.any([init.signal, this.#ending]) : init.signal;
    const { status, headers, body } = await globalThis.fetch(url, { ...init, signal });
    recorded.status = status;
    recorded.respondedAt = this.#terminal.clock.now();
    recorded.headers = Object.fromEntries(
      HEADERS.map((name) => [name, headers.get(name)]).filter(([, value]) => value !== null),
    );
    if (body === null) recorded.body = '';
    return { status, headers, body: body && this.#recording(body, recorded) };
  };

  /** Passes the body on in chunks, as fast as the client reads it. */
  #recording(body: ReadableStream<Uint8Array>, recorded: Recording): ReadableStream<Uint8Array> {
    const chunks: Uint8Array[] = [];
    let size = 0;
    return body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform: (chunk, controller) => {
          size += chunk.length;
          if (size <= MAX_BODY_BYTES) chunks.push(chunk.slice());
          controller.enqueue(chunk);
        },
        flush: () => {
          if (size <= MAX_BODY_BYTES) recorded.body = Buffer.concat(chunks).toString().trim();
          if (recorded.endpoint !== 'token' || recorded.status !== 200) return;
          // Before it is used: the same response may repeat it elsewhere.
          for (const token of tokensIn(recorded.body ?? '')) this.#terminal.redactor.addTemporary(token);
        },
      }),
    );
  }
}
