import type { WireIssue } from '../wire.js';
import { announce } from './announce.js';
import { command, request } from './commands.js';
import { button, el } from './dom.js';
import { t } from './texts.js';

/** What a reader reports about a merchant document. */
export function issueList(issues: readonly WireIssue[], error: string | undefined): HTMLElement {
  const texts = t().menu;
  if (issues.length === 0 && error === undefined) return el('p', { class: 'quiet' }, texts.noIssues);
  return el(
    'div',
    {},
    el('p', {}, error === undefined ? texts.issues(issues.length) : `${texts.unreadable}: ${error}`),
    el(
      'ul',
      { class: 'plain' },
      ...issues.map(({ path, code, message, against }) =>
        el(
          'li',
          {},
          el('code', {}, path),
          ` ${message} `,
          el('span', { class: 'quiet' }, `${code}, ${against}`),
        ),
      ),
    ),
  );
}

/** A store's merchant document as JSON: to be changed, checked and published. */
export class DocumentEditor {
  readonly element: HTMLDetailsElement;
  readonly #text = el('textarea', { rows: 24, spellcheck: 'false', 'aria-label': t().menu.document });
  readonly #result = el('div', { role: 'status', class: 'issues' });
  #clientId = '';

  constructor() {
    const texts = t().menu;
    this.element = el(
      'details',
      { ontoggle: () => this.#load() },
      el('summary', {}, texts.edit),
      this.#text,
      el(
        'div',
        { class: 'bar' },
        button(texts.check, () => this.#check()),
        button(texts.publish, () => this.#publish(), { class: 'primary' }),
      ),
      this.#result,
    );
  }

  /** Belongs to this store from now on. The document of another one closes, so that it is not published here. */
  show(clientId: string): void {
    if (clientId !== this.#clientId) this.element.open = false;
    this.#clientId = clientId;
  }

  async #load(): Promise<void> {
    if (!this.element.open) return;
    const clientId = this.#clientId;
    this.#text.value = '';
    this.#result.replaceChildren();
    const { ok, body, title } = await request('GET', `ui/menu?${new URLSearchParams({ clientId })}`);
    if (!ok) announce(title, 'bad');
    else if (clientId === this.#clientId) this.#text.value = JSON.stringify(body, undefined, 2);
  }

  async #check(): Promise<void> {
    const document = this.#parsed();
    if (document === undefined) return;
    const { ok, body, title } = await request('POST', 'ui/menu', document);
    if (!ok) return announce(title, 'bad');
    const { issues, error } = body as { issues: WireIssue[]; error?: string };
    this.#result.replaceChildren(issueList(issues, error));
  }

  async #publish(): Promise<void> {
    const document = this.#parsed();
    if (document === undefined) return;
    const store = new URLSearchParams({ clientId: this.#clientId });
    await command('PUT', `merchant?${store}`, document, t().menu.published);
  }

  /** Undefined: it is not JSON, which the person is told. */
  #parsed(): unknown {
    try {
      return JSON.parse(this.#text.value);
    } catch (error) {
      const why = error instanceof Error ? error.message : '';
      this.#result.replaceChildren(el('p', { class: 'bad' }, `${t().menu.notJson} ${why}`));
      return undefined;
    }
  }
}
