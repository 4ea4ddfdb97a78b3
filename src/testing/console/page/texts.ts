import { english } from './english.js';
import { portuguese } from './portuguese.js';

export type Language = 'en' | 'pt-BR';

const KEY = 'opendelivery-console-language';

let chosen: Language = read();

function read(): Language {
  const stored = localStorage.getItem(KEY);
  if (stored === 'en' || stored === 'pt-BR') return stored;
  return /^pt\b/i.test(navigator.language) ? 'pt-BR' : 'en';
}

export const language = (): Language => chosen;

export function setLanguage(next: Language): void {
  chosen = next;
  localStorage.setItem(KEY, next);
}

/** The texts in the language of the person. */
export const t = (): typeof english => (chosen === 'en' ? english : portuguese);
