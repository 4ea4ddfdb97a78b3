import { systemClock } from '../../time/clock.js';
import { timeOf } from '../clock-control.js';
import type { HubState } from '../hub-state.js';
import { ChangesForPage, type View } from './changes.js';
import { eventsView } from './events-view.js';
import { limitsView } from './limits-view.js';
import { menuView } from './menu-view.js';
import { ordersView } from './orders-view.js';
import type { ViewQuery } from './query.js';
import type { Recorder } from './recorder.js';
import { type Rehearsal, rehearsalView } from './rehearsal.js';
import { requestsView } from './requests-view.js';
import { summaryOf } from './summary.js';
import { violationsView } from './violations-view.js';
import type { WireMessage } from './wire.js';

/** How often the hub is looked at, in real time: it changes also while no request arrives. */
const LOOK_MS = 200;
/** After this many looks without a change, only the time is sent. */
const QUIET_LOOKS = 5;

/** What the sections read. */
interface Sources {
  readonly state: HubState;
  readonly recorder: Recorder;
  /** Undefined: no rehearsal is played at this hub. */
  readonly rehearsal: Rehearsal | undefined;
}

/** The server-sent events of all open pages. */
export class Streams {
  readonly #sources: Sources;
  /** Each ends a wait early. */
  readonly #waits = new Set<AbortController>();

  constructor(sources: Sources) {
    this.#sources = sources;
  }

  /** Something has changed: no page waits for its next look. */
  changed(): void {
    for (const wait of this.#waits) wait.abort();
  }

  /** Sends what a section shows, and then what changes in it, until the page closes the connection. */
  open(request: Request, query: ViewQuery): Response {
    const page = new ChangesForPage();
    let isFirst = true;
    const body = new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        for (let looks = 1; !request.signal.aborted; looks += 1) {
          if (!isFirst) await this.#wait(request.signal);
          isFirst = false;
          const message = this.#message(page, query);
          if (Object.keys(message).length === 1 && looks < QUIET_LOOKS) continue;
          const { journal, stores } = this.#sources.state;
          const text = journal.mask.own(JSON.stringify(message), stores.all);
          controller.enqueue(new TextEncoder().encode(`data: ${text}\n\n`));
          return;
        }
        controller.close();
      },
    });
    const headers = { 'content-type': 'text/event-stream', 'cache-control': 'no-store' };
    return new Response(body, { headers });
  }

  #message(page: ChangesForPage, query: ViewQuery): WireMessage {
    const { state, rehearsal } = this.#sources;
    const changes = page.since(summaryOf(state, rehearsal), viewOf(this.#sources, query));
    return { time: timeOf(state.options.clock), ...changes };
  }

  async #wait(signal: AbortSignal): Promise<void> {
    const wait = new AbortController();
    const end = () => wait.abort();
    this.#waits.add(wait);
    signal.addEventListener('abort', end, { once: true });
    await systemClock.sleep(LOOK_MS, wait.signal).catch(() => {});
    this.#waits.delete(wait);
    signal.removeEventListener('abort', end);
  }
}

/** What the section of a page shows now. The sections Faults and Time need only the summary. */
function viewOf({ state, recorder, rehearsal }: Sources, query: ViewQuery): View {
  switch (query.section) {
    case 'orders':
      return ordersView(state, query);
    case 'events':
      return eventsView(state, query);
    case 'requests':
      return requestsView(state, query);
    case 'violations':
      return violationsView(state, query);
    case 'limits':
      return limitsView(state, query);
    case 'menu':
      return menuView(state, query);
    case 'script':
      return { rows: recorder.rows(query.limit), about: { total: recorder.length } };
    case 'rehearsal':
      return rehearsalView(rehearsal);
    default:
      return { rows: [], about: { total: 0 } };
  }
}
