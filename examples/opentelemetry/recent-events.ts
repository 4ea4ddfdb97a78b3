/** At most this many events are remembered. */
const MAX_EVENTS = 10_000;

/** What is known of events that were received and are not acknowledged yet, by event id. The oldest are forgotten. */
export class RecentEvents<T> {
  readonly #known = new Map<string, T>();

  get(eventId: string): T | undefined {
    return this.#known.get(eventId);
  }

  set(eventId: string, value: T): void {
    this.#known.set(eventId, value);
    if (this.#known.size <= MAX_EVENTS) return;
    for (const oldest of this.#known.keys()) {
      this.#known.delete(oldest);
      return;
    }
  }

  delete(eventId: string): void {
    this.#known.delete(eventId);
  }
}
