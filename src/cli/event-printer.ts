import type { Issue } from '../errors.js';
import type { OrderEvent } from '../schemas/event.js';
import { formatTimeOfDay } from './format.js';
import { paint, type Styled, styled } from './styled.js';
import type { Terminal } from './terminal.js';

/** The largest number of issues shown for one poll. */
const MAX_ISSUES = 20;

/** Prints each event as one line: a text for people, or a JSON object. */
export class EventPrinter {
  readonly #terminal: Terminal;
  readonly #json: boolean;
  /** The number of events printed so far. */
  count = 0;

  constructor(terminal: Terminal, json: boolean) {
    this.#terminal = terminal;
    this.#json = json;
  }

  /** Resolves when the line is written. */
  async event(event: OrderEvent): Promise<void> {
    await (this.#json ? this.#terminal.json(event) : this.#terminal.line(lineOf(event)));
    this.count += 1;
  }

  issues(issues: readonly Issue[]): void {
    for (const { path, message } of issues.slice(0, MAX_ISSUES)) {
      this.#terminal.warn(`issue at ${path.join('.')}: ${message}`);
    }
    if (issues.length > MAX_ISSUES) this.#terminal.warn(`and ${issues.length - MAX_ISSUES} more issues`);
  }
}

function lineOf({ eventType, orderId, eventId, createdAt }: OrderEvent): Styled {
  const at = Date.parse(createdAt ?? '');
  const time = Number.isNaN(at) ? '--:--:--' : formatTimeOfDay(at);
  const type = paint(colourOf(eventType), eventType.padEnd(26));
  return styled`${time}  ${type}  order ${orderId}  ${paint('dim', `event ${eventId}`)}`;
}

function colourOf(eventType: string): 'green' | 'red' | 'cyan' {
  if (eventType === 'CREATED') return 'green';
  return eventType.includes('CANCEL') ? 'red' : 'cyan';
}
