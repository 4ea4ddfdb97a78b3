import type { Json } from '../fixtures.js';
import type { HubState } from '../hub-state.js';
import type { ScriptStep } from './script.js';
import type { StepRow } from './wire.js';

/** When this many steps are recorded, the oldest ones are dropped. */
const MAX_STEPS = 1000;

/** Requests that are not part of a script: `POST stores` contains credentials. */
const LEFT_OUT: ReadonlySet<string> = new Set(['POST stores', 'POST reset']);

/** Records the requests to the control API that change something, so that they can be played again. */
export class Recorder {
  readonly #state: HubState;
  #steps: { readonly at: number; readonly request: string; readonly body: Json }[] = [];

  constructor(state: HubState) {
    this.#state = state;
  }

  /** @param at - when the request arrived, in monotonic ms. */
  record(request: string, input: Json, result: unknown, at: number): void {
    if (request === 'POST reset') this.clear();
    if (request.startsWith('GET ') || LEFT_OUT.has(request)) return;
    this.#steps.push({ at, request, body: this.#repeatable(request, input, result) });
    if (this.#steps.length > MAX_STEPS) this.#steps.shift();
  }

  clear(): void {
    this.#steps = [];
  }

  /** What `--script` plays. Times are counted from the first step. */
  get script(): { readonly steps: readonly ScriptStep[] } {
    return {
      steps: this.rows.map(({ atMs, request, body }) => ({
        at: durationOf(atMs),
        request,
        body: body as Json,
      })),
    };
  }

  get rows(): (StepRow & { readonly body: Json })[] {
    const startedAt = this.#steps[0]?.at ?? 0;
    return this.#steps.map(({ at, request, body }, index) => ({
      key: `${index} ${at}`,
      rank: -index,
      atMs: Math.round(at - startedAt),
      request,
      body,
    }));
  }

  /** With the ids that this hub has chosen; an event is named by its order and type, because its id will differ. */
  #repeatable(request: string, input: Json, result: unknown): Json {
    if (request === 'POST orders' || request === 'POST events') {
      const { orderId } = result as { readonly orderId: string };
      return { ...input, orderId };
    }
    const { eventId, ...rest } = input;
    if (typeof eventId !== 'string') return input;
    const { event, store } = this.#state.stores.withEvent(eventId);
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
