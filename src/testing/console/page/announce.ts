import { el } from './dom.js';

const SHOWN_MS = 4000;

/** Says what has happened: to a screen reader, and in a corner of the page. */
const region = el('div', { class: 'announcements', role: 'status', 'aria-live': 'polite' });

export const announcements = (): HTMLElement => region;

export function announce(text: string, kind: 'good' | 'bad'): void {
  const note = el('p', { class: kind }, text);
  region.replaceChildren(note);
  setTimeout(() => note.remove(), kind === 'bad' ? SHOWN_MS * 2 : SHOWN_MS);
}

/** A modal dialog would cover the region. */
export function announceIn(parent: HTMLElement): void {
  parent.append(region);
}
