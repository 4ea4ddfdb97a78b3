import type { ItemResult } from './play.js';
import type { Script } from './script.js';
import type { Language } from './texts.js';

/** What a rehearsal has come to. */
export interface Report {
  readonly script: Script;
  readonly items: readonly ItemResult[];
  /** Epoch ms on the hub's clock. */
  readonly at: number;
  readonly language: Language;
}

function jsonOf({ script, items, language }: Report): string {
  const notTestable = script.notTestable.map(({ id, title, reason }) => ({
    id,
    title: title[language],
    reason: reason[language],
  }));
  return JSON.stringify({ script: script.name, items, notTestable }, undefined, 2);
}

export const WRITERS = { json: jsonOf };
