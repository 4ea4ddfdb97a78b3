import type { NextCommand } from '../../progress/next-commands.js';
import type { Json } from '../../testing/fixtures.js';
import { systemClock } from '../../time/clock.js';
import { exchange } from '../exchange.js';
import type { PlayedOrder } from './stage.js';
import type { Texts } from './texts.js';

/** A command that the application is asked for. */
export interface Task extends Omit<PlayedOrder, 'document'> {
  readonly command: NextCommand;
  readonly data: Json | undefined;
}

/** What is asked about an order: whether the application shows these details of it. */
export interface Question extends Omit<PlayedOrder, 'document'> {
  readonly kind: 'shows' | 'hides';
  readonly details: readonly { readonly what: string }[];
}

/** What the application shows of an order: its text, a person's answer, or why neither is known. */
export type Answer =
  | { readonly text: string }
  | { readonly yes: boolean }
  | { readonly refused: string }
  | { readonly unknown: string };

export interface Requested {
  /** What became of the request, for the evidence; undefined: a person does it. */
  readonly outcome?: string;
  /** The command was seen, or is not waited for any more. */
  readonly end?: () => void;
}

/** The application under rehearsal: driven by requests, or by a person. */
export interface Application {
  /** Asks for a command. */
  request(task: Task, signal: AbortSignal): Promise<Requested>;
  look(question: Question, signal: AbortSignal): Promise<Answer>;
  /** Whether it sends exactly the data that was asked for: a person chooses from what the application offers. */
  readonly isExact: boolean;
}

const TIMEOUT_MS = 15_000;

/**
 * An application that has an address for the rehearsal; see docs/certify-protocol.md.
 *
 * @param base - the address without a slash at its end.
 */
export function drivenApplication(base: string, texts: Texts): Application {
  const send = (address: string, signal: AbortSignal, init: RequestInit = {}) => {
    const options = { clock: systemClock, signal, timeoutMs: TIMEOUT_MS };
    return exchange(address, { redirect: 'follow', ...init }, options).catch(() => {
      signal.throwIfAborted();
      return undefined;
    });
  };
  return {
    isExact: true,
    async request({ orderId, command, data }, signal) {
      const body = JSON.stringify({ orderId, action: command, ...(data && { data }) });
      const headers = { 'content-type': 'application/json' };
      const response = await send(base, signal, { method: 'POST', headers, body });
      const status = response ? String(response.status) : texts.noResponse;
      return { outcome: texts.driven(command, status) };
    },
    async look({ orderId }, signal) {
      const response = await send(`${base}/orders/${encodeURIComponent(orderId)}`, signal);
      if (!response) return { unknown: texts.noOrderShown(texts.noResponse) };
      if (!response.ok) return { refused: texts.noOrderShown(String(response.status)) };
      return { text: response.text };
    },
  };
}

export interface People {
  /** Shows a task. Returns a function that removes it. */
  showTask(text: string): () => void;
  /** Undefined: nobody answers. */
  ask(question: string, signal: AbortSignal): Promise<boolean | undefined>;
}

export function applicationWithPerson(people: People, texts: Texts): Application {
  return {
    isExact: false,
    async request({ number, command, data }) {
      const wanted = data
        ? ` (${Object.entries(data)
            .map(([key, value]) => `${key}: ${String(value)}`)
            .join(', ')})`
        : '';
      return { end: people.showTask(texts.task(texts.actions[command] ?? command, number, wanted)) };
    },
    async look({ number, kind, details }, signal) {
      const names = details.map(({ what }) => what).join(', ');
      const question = kind === 'shows' ? texts.questionShows : texts.questionHides;
      const yes = await people.ask(question(number, names), signal);
      return yes === undefined ? { unknown: texts.notAnswered } : { yes };
    },
  };
}
