/** Strings up to this length are quoted in messages. */
const MAX_QUOTED = 60;

/** Short strings in quotes; long ones only by length, because half a secret would not be recognized and masked. */
export function quote(text: string): string {
  return text.length > MAX_QUOTED ? `a string of ${text.length} characters` : JSON.stringify(text);
}

/** What a value is, for messages such as `expected a number, got "12,50"`. */
export function describeValue(value: unknown): string {
  if (typeof value === 'string') return quote(value);
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}

/**
 * Messages that quote a string of the document. A menu has the same deviation
 * thousands of times, so a message is built once per string.
 */
export class QuotingMessages {
  readonly #messages = new Map<string, string>();
  readonly #suffix: string;

  /** @param suffix - follows the quoted string. */
  constructor(suffix: string) {
    this.#suffix = suffix;
  }

  of(text: string): string {
    const cached = this.#messages.get(text);
    if (cached !== undefined) return cached;
    const message = `${quote(text)} ${this.#suffix}`;
    if (this.#messages.size >= 100) this.#messages.clear();
    this.#messages.set(text, message);
    return message;
  }
}
