import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { createHistogram } from 'node:perf_hooks';

/**
 * An in-memory hub without any logic, in a process of its own, so that its work
 * is not part of what is measured.
 *
 * A path is `/<label>/<events>/opendelivery/…`. The label separates the figures
 * of the contenders. `events` is how many events each poll gets, all of them
 * new; `0-1000` gives the first poll of each token none and the later ones 1,000.
 * A poll without events gets 204, or 200 with `[]` if `events` is `empty`.
 */
const PATH = /^\/([\w.-]+)\/(\d+|empty)(?:-(\d+))?\/opendelivery(\/.*)$/;

/** What the hub counted for one label. */
export interface LabelCounts {
  readonly requests: number;
  readonly polls: number;
  /** Connections that were open at the same time, at most. */
  readonly mostOpen: number;
  /**
   * How long after its poll before a store polled, the longest hundredth left out, in ms; 0 if none has polled twice.
   * `/forget-gaps` begins anew.
   */
  readonly gapP99Ms: number;
}

class Label {
  requests = 0;
  polls = 0;
  mostOpen = 0;
  readonly #open = new Set<Socket>();
  /** When each store polled last, by its token. */
  readonly #polledAt = new Map<string, number>();
  readonly #gaps = createHistogram({ figures: 5, highest: 3_600_000 });

  count({ socket }: IncomingMessage): void {
    this.requests += 1;
    if (this.#open.has(socket)) return;
    this.#open.add(socket);
    this.mostOpen = Math.max(this.mostOpen, this.#open.size);
    socket.once('close', () => this.#open.delete(socket));
  }

  isFirstPoll(token = ''): boolean {
    this.polls += 1;
    const now = performance.now();
    const before = this.#polledAt.get(token);
    this.#polledAt.set(token, now);
    if (before !== undefined) this.#gaps.record(Math.ceil(now - before) || 1);
    return before === undefined;
  }

  forgetGaps(): void {
    this.#gaps.reset();
  }

  toJSON(): LabelCounts {
    const { requests, polls, mostOpen } = this;
    return { requests, polls, mostOpen, gapP99Ms: this.#gaps.percentile(99) };
  }
}

const labels = new Map<string, Label>();
let issued = 0;
let emitted = 0;

/** Spec §8. The clocks of the clients jump, so the hub does not count. */
const limits = (limit: number, remaining: number) => ({
  'x-ratelimit-limit': String(limit),
  'x-ratelimit-remaining': String(remaining),
  'x-ratelimit-reset': '60',
});
const LIMITS = { polling: limits(2, 1), others: limits(100, 90) };

/** As long as a token with claims. */
const TOKEN_LENGTH = 600;

function token(): string {
  issued += 1;
  return JSON.stringify({
    access_token: `${issued}.`.padEnd(TOKEN_LENGTH, 'eyJhbGciOiJSUzI1NiIsImtpZCI6IjE2'),
    token_type: 'bearer',
    expires_in: 604_800,
  });
}

function events(count: number): string {
  const createdAt = new Date().toISOString();
  const all: string[] = [];
  for (let each = 0; each < count; each += 1) {
    emitted += 1;
    const hex = emitted.toString(16).padStart(12, '0');
    all.push(
      `{"eventId":"6f1c9a04-0000-4000-8000-${hex}","eventType":"CREATED","orderId":"0b7e5d21-0000-4000-9000-${hex}",` +
        `"createdAt":"${createdAt}","orderURL":"https://hub.example/opendelivery/v1/orders/0b7e5d21-0000-4000-9000-${hex}"}`,
    );
  }
  return `[${all.join()}]`;
}

interface Answer {
  readonly status: number;
  readonly body?: string;
}

function answer(request: IncomingMessage): Answer {
  const { url = '', headers } = request;
  if (url === '/counts') return { status: 200, body: JSON.stringify(Object.fromEntries(labels)) };
  if (url === '/forget-gaps') {
    for (const label of labels.values()) label.forgetGaps();
    return { status: 204 };
  }
  const [, name = '', first, later = first, path] = PATH.exec(url) ?? [];
  const label = labels.get(name) ?? new Label();
  labels.set(name, label);
  label.count(request);
  switch (path) {
    case '/oauth/token':
      return { status: 200, body: token() };
    case '/v1/events:polling': {
      const count = label.isFirstPoll(headers.authorization) ? first : later;
      if (count === 'empty') return { status: 200, body: '[]' };
      return count === '0' ? { status: 204 } : { status: 200, body: events(Number(count)) };
    }
    case '/v1/events/acknowledgment':
      return { status: 202 };
    default:
      return { status: 404 };
  }
}

function respond(request: IncomingMessage, response: ServerResponse): void {
  const { status, body } = answer(request);
  const limited = request.url?.endsWith('polling') ? LIMITS.polling : LIMITS.others;
  if (body === undefined) response.writeHead(status, limited).end();
  else {
    const described = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    response.writeHead(status, { ...described, ...limited }).end(body);
  }
}

/** Starts the hub in this process and returns its address. */
export async function listen(): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    request.once('end', () => respond(request, response));
  });
  // The clients decide how long a connection is kept.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
