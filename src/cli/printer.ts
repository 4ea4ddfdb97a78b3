import type { Issue } from '../errors.js';
import type { OrderEvent } from '../schemas/event.js';
import { timeOfDay } from './spoken.js';
import { paint, type Styled, styled } from './styled.js';
import type { Terminal } from './terminal.js';

/** Of the issues of one poll, this many are shown. */
const MAX_ISSUES = 20;

/** Events as lines: for people, or one JSON document each. */
export class Printer {
  readonly #terminal: Terminal;
  readonly #json: boolean;
  count = 0;

  constructor(terminal: Terminal, json: boolean) {
    this.#terminal = terminal;
    this.#json = json;
  }

  /** Resolves when the line is written. */
  async event(event: OrderEvent): Promise<void> {
    await (this.#json ? this.#terminal.json(event) : this.#terminal.line(this.#lineOf(event)));
    this.count += 1;
  }

  issues(issues: readonly Issue[]): void {
    for (const { path, message } of issues.slice(0, MAX_ISSUES))
      this.warning(`issue at ${path.join('.')}: ${message}`);
    if (issues.length > MAX_ISSUES) this.warning(`and ${issues.length - MAX_ISSUES} issues more`);
  }

  remark(text: string): void {
    this.#terminal.remark(text);
  }

  warning(text: string): void {
    this.#terminal.remark(paint('yellow', this.#terminal.quote(text, 500)));
  }

  #lineOf({ eventType, orderId, eventId, createdAt }: OrderEvent): Styled {
    const at = Date.parse(createdAt ?? '');
    const time = Number.isNaN(at) ? '--:--:--' : timeOfDay(at);
    const type = paint(colourOf(eventType), eventType.padEnd(26));
    return styled`${time}  ${type}  order ${orderId}  ${paint('dim', `event ${eventId}`)}`;
  }
}

function colourOf(eventType: string): 'green' | 'red' | 'cyan' {
  if (eventType === 'CREATED') return 'green';
  return eventType.includes('CANCEL') ? 'red' : 'cyan';
}
