import { createMockHub, ManualClock, type MockHubOptions } from 'opendelivery-client/testing';
import { onTestFinished } from 'vitest';
// What the page reads of the stream: types only, which are the contract of both sides.
import type { WireMessage, WireRow } from '../../../src/testing/console/wire.js';
import type {} from '../../../src/testing/console/wire-order.js';

export type {
  EventRow,
  LimitRow,
  MenuRow,
  RequestRow,
  TokenRow,
  ViolationRow,
} from '../../../src/testing/console/wire.js';
export type { OrderRow } from '../../../src/testing/console/wire-order.js';

/** Serves a mock hub with its console. */
export async function servedConsole<Options extends MockHubOptions>(options?: Options) {
  const clock = new ManualClock();
  const mock = createMockHub({ clock, ...options });
  const { url, close } = await mock.listen();
  onTestFinished(close);
  return { url, mock, clock };
}

/** Stores with these ids. */
export const storesOf = (...clientIds: readonly string[]) =>
  clientIds.map((clientId) => ({
    clientId,
    clientSecret: `client-secret-${clientId}`,
    apiKey: `the-api-key-${clientId}`,
  }));

export const get = (url: string, path: string) => send(url, 'GET', path);

export const send = async (url: string, method: string, path: string, body?: unknown) => {
  const response = await fetch(`${url}/_mock/${path}`, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: each test checks the body
  return { status: response.status, body: (await response.json()) as any };
};

/** What a section shows at first; later messages come from `reader`. */
export async function opened<Row = WireRow>(url: string, query: string) {
  const reader = new StreamReader(url, `section=${query}`);
  const message = await reader.next();
  return { reader, message, about: message.about, rows: [...reader.rows.values()] as unknown as Row[] };
}

/** Reads the messages of a section's stream, as a page does. */
export class StreamReader {
  /** Bytes so far. */
  bytes = 0;
  text = '';
  readonly rows = new Map<string, WireRow>();
  readonly #aborted = new AbortController();
  readonly #url: string;
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  #unread = '';

  constructor(url: string, query: string) {
    this.#url = `${url}/_mock/ui/stream?${query}`;
    onTestFinished(() => this.#aborted.abort());
  }

  /** The next message that contains more than the time. */
  async next(): Promise<WireMessage> {
    for (;;) {
      const message = JSON.parse(await this.#line()) as WireMessage;
      for (const key of message.gone ?? []) this.rows.delete(key);
      for (const row of message.set ?? []) this.rows.set(row.key, row);
      if (Object.keys(message).length > 1) return message;
    }
  }

  async #line(): Promise<string> {
    this.#reader ??= (await fetch(this.#url, { signal: this.#aborted.signal })).body?.getReader();
    while (!this.#unread.includes('\n\n')) {
      const { value, done } = (await this.#reader?.read()) ?? { done: true };
      if (done || !value) throw new Error('the stream has ended');
      this.bytes += value.length;
      const text = new TextDecoder().decode(value);
      this.text += text;
      this.#unread += text;
    }
    const end = this.#unread.indexOf('\n\n');
    const line = this.#unread.slice('data: '.length, end);
    this.#unread = this.#unread.slice(end + 2);
    return line;
  }
}
