import type { Issue } from '../errors.js';
import type { OrderEvent } from '../schemas/event.js';
import { harmless, timeOfDay } from './spoken.js';
import type { Terminal } from './terminal.js';

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
    await this.#terminal.line(this.#json ? JSON.stringify(event) : this.#spoken(event));
    this.count += 1;
  }

  issues(issues: readonly Issue[]): void {
    for (const { path, message } of issues) this.warning(`issue at ${path.join('.')}: ${message}`);
  }

  remark(text: string): void {
    this.#terminal.remark(text);
  }

  warning(text: string): void {
    this.#terminal.remark(this.#terminal.paint('yellow', harmless(text), 'err'));
  }

  #spoken({ eventType, orderId, eventId, createdAt }: OrderEvent): string {
    const at = Date.parse(createdAt ?? '');
    const time = Number.isNaN(at) ? '--:--:--' : timeOfDay(at);
    const type = this.#terminal.paint(colourOf(eventType), harmless(eventType).padEnd(26));
    return `${time}  ${type}  order ${harmless(orderId)}  ${this.#terminal.paint('dim', `event ${harmless(eventId)}`)}`;
  }
}

function colourOf(eventType: string): 'green' | 'red' | 'cyan' {
  if (eventType === 'CREATED') return 'green';
  return eventType.includes('CANCEL') ? 'red' : 'cyan';
}
