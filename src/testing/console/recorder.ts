import type { Json } from '../fixtures.js';
import type { HubState } from '../hub-state.js';
import { isOfEvent, type ScriptStep } from './script.js';
import type { StepRow } from './wire.js';

/** When the steps are more, or larger as JSON, the oldest ones are dropped. */
const MAX_STEPS = 1000;
const MAX_BYTES = 4_000_000;
/** The page shows this much of a body. */
const SHOWN = 300;

interface RecordedStep {
  readonly at: number;
  readonly request: string;
  readonly body: Json;
  /** `body` as JSON. */
  readonly text: string;
}

/** Records the requests to the control API that change something, so that they can be played again. */
export class Recorder {
  readonly #state: HubState;
  #steps: RecordedStep[] = [];
  #bytes = 0;

  constructor(state: HubState) {
    this.#state = state;
  }

  /** @param at - when the request arrived, in monotonic ms. */
  record(request: string, input: Json, result: unknown, at: number): void {
    const isReset = request === 'POST reset' && input.clientId === undefined;
    if (isReset) this.clear();
    // A new store has credentials, which do not belong in a script.
    if (isReset || request.startsWith('GET ') || request === 'POST stores') return;
    const body = this.#repeatable(request, input, result);
    const text = JSON.stringify(body);
    this.#steps.push({ at, request, body, text });
    this.#bytes += text.length;
    while (this.#steps.length > MAX_STEPS || this.#bytes > MAX_BYTES) {
      this.#bytes -= this.#steps.shift()?.text.length ?? 0;
    }
  }

  clear(): void {
    this.#steps = [];
    this.#bytes = 0;
  }

  /** What `--script` plays. Times are counted from the first step. */
  get script(): { readonly steps: readonly ScriptStep[] } {
    return {
      steps: this.#steps.map(({ at, request, body }) => ({ at: durationOf(this.#after(at)), request, body })),
    };
  }

  /** For the page: the latest steps. */
  rows(limit: number): StepRow[] {
    const first = Math.max(0, this.#steps.length - limit);
    return this.#steps.slice(first).map(({ at, request, text }, index) => ({
      key: `${at} ${first + index}`,
      rank: first + index,
      atMs: this.#after(at),
      request,
      body: text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text,
    }));
  }

  get length(): number {
    return this.#steps.length;
  }

  #after(at: number): number {
    return Math.round(at - (this.#steps[0]?.at ?? at));
  }

  /** With the ids that this hub has chosen; an event is named by its order and type, because its id will differ. */
  #repeatable(request: string, input: Json, result: unknown): Json {
    if (request === 'POST orders' || request === 'POST events') {
      const { orderId } = result as { readonly orderId: string };
      return { ...input, orderId };
    }
    if (!isOfEvent(request)) return input;
    const { eventId, ...rest } = input;
    const { event, store } = this.#state.stores.withEvent(eventId as string);
    const { orderId, eventType } = event;
    return { ...rest, clientId: store.credentials.clientId, orderId, eventType };
  }
}

/** Such as `'1h2m3.5s'`. */
function durationOf(ms: number): string {
  const hours = Math.floor(ms / 3_600_000);
  const minutes = Math.floor((ms % 3_600_000) / 60_000);
  return `${hours ? `${hours}h` : ''}${minutes ? `${minutes}m` : ''}${(ms % 60_000) / 1000}s`;
}
