import { brotliDecompressSync } from 'node:zlib';
import type { Json } from '../fixtures.js';
import type { HubState } from '../hub-state.js';
import { readMenu } from './menu-view.js';
import { orderDetails } from './order-details.js';
import { PAGE } from './page-file.js';
import { readQuery } from './query.js';
import { Recorder } from './recorder.js';
import type { Rehearsal } from './rehearsal.js';
import { requestDetails } from './requests-view.js';
import { Streams } from './stream.js';

/** The files of the page by their path below `/_mock/ui`. */
type PageFiles = Readonly<Record<string, string>>;

const TYPES: Readonly<Record<string, string>> = { html: 'text/html', css: 'text/css', js: 'text/javascript' };

/** Nothing is loaded from another host, and the page has no inline code. */
const HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'cache-control': 'no-cache',
};

/** A page for people at `/_mock/ui`. Its commands are requests to the control API. */
export class Console {
  readonly #state: HubState;
  readonly #recorder: Recorder;
  readonly #rehearsal: Rehearsal | undefined;
  readonly #streams: Streams;
  #files: PageFiles | undefined;

  constructor(state: HubState, rehearsal?: Rehearsal) {
    this.#state = state;
    this.#rehearsal = rehearsal;
    this.#recorder = new Recorder(state);
    this.#streams = new Streams({ state, recorder: this.#recorder, rehearsal });
  }

  /** A request to the control API was successful. */
  record(request: string, input: Json, result: unknown, at: number): void {
    this.#recorder.record(request, input, result, at);
    this.#streams.changed();
  }

  /** @param path - below `/_mock/`. Undefined: it is not a path of the console. */
  async respond(request: Request, path: string): Promise<Response | undefined> {
    const { method } = request;
    const { searchParams } = new URL(request.url);
    switch (`${method} ${path}`) {
      case 'GET ui/stream':
        return this.#streams.open(request, readQuery(searchParams));
      case 'GET ui/request':
        return this.#json(requestDetails(this.#state, Number(searchParams.get('number'))));
      case 'GET ui/order':
        return this.#json(
          orderDetails(this.#state, searchParams.get('clientId') ?? '', searchParams.get('orderId') ?? ''),
        );
      case 'GET ui/menu':
        return this.#json(this.#state.stores.withClientId(searchParams.get('clientId') ?? '')?.merchant);
      case 'POST ui/menu': {
        const { issues, error } = readMenu(await request.json().catch(() => undefined));
        return this.#json({ issues, error });
      }
      case 'POST ui/answer': {
        const { id, yes } = Object(await request.json().catch(() => undefined));
        this.#rehearsal?.answer(Number(id), yes === true);
        this.#streams.changed();
        return this.#json({ done: true });
      }
      case 'GET ui/script':
        return this.#json(this.#recorder.script);
      case 'DELETE ui/script':
        this.#recorder.clear();
        this.#streams.changed();
        return this.#json({ done: true });
      default:
        return method === 'GET' || method === 'HEAD' ? this.#file(path) : undefined;
    }
  }

  #json(body: unknown): Response {
    const text = JSON.stringify(body ?? { title: 'not found', status: 404 });
    const { journal, stores } = this.#state;
    return new Response(journal.mask.own(text, stores.all), {
      status: body === undefined ? 404 : 200,
      headers: { ...HEADERS, 'content-type': 'application/json', 'cache-control': 'no-store' },
    });
  }

  #file(path: string): Response | undefined {
    this.#files ??= JSON.parse(brotliDecompressSync(Buffer.from(PAGE, 'base64')).toString()) as PageFiles;
    const name = path.slice('ui/'.length) || 'index.html';
    const content = Object.hasOwn(this.#files, name) ? this.#files[name] : undefined;
    if (content === undefined) return undefined;
    const type = TYPES[name.slice(name.lastIndexOf('.') + 1)];
    return new Response(content, { headers: { ...HEADERS, 'content-type': `${type}; charset=utf-8` } });
  }
}
