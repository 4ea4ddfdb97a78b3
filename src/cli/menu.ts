import { writeFileSync } from 'node:fs';
import { ConfigurationError, type Issue, isHubError } from '../errors.js';
import { Menu } from '../menu/menu.js';
import { readMerchant } from '../merchant/read.js';
import type { Merchant } from '../schemas/merchant.js';
import { type ConnectionOptions, connect } from './connect.js';
import { menuHtml } from './menu-html.js';
import { menuLines } from './menu-text.js';
import { viewOf } from './menu-view.js';
import { readJsonFile, reasonOf } from './read-file.js';
import type { Terminal } from './terminal.js';

export interface MenuCommandOptions extends ConnectionOptions {
  readonly file?: string;
  readonly timeZone?: string;
  readonly at?: string;
  readonly json?: boolean;
  /** A file's name, or true for stdout. */
  readonly html?: string | true;
}

/** Prints a store's menu as its customers see it. */
export async function menu(terminal: Terminal, options: MenuCommandOptions): Promise<void> {
  const at = options.at === undefined ? terminal.clock.now() : instantOf(options.at);
  const { merchant, issues } = await (options.file === undefined
    ? fromHub(terminal, options)
    : fromFile(options.file));
  const timeZone = options.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  const view = viewOf(new Menu(merchant, { timeZone }), at, issues);
  if (options.timeZone === undefined) {
    terminal.remark(`hours without a zone are read in ${timeZone}, this machine's; --time-zone changes that`);
  }
  if (options.json) return terminal.json(view, 2);
  if (options.html === true) return terminal.page(menuHtml(view));
  if (options.html !== undefined) return writePage(terminal, options.html, menuHtml(view));
  for (const line of menuLines(view, terminal)) await terminal.line(line);
}

interface Read {
  readonly merchant: Merchant;
  readonly issues: readonly Issue[];
}

async function fromHub(terminal: Terminal, options: MenuCommandOptions): Promise<Read> {
  await using hub = connect(terminal, options, 'menu', { logger: false, clock: terminal.clock });
  const { merchant, issues } = await terminal.during('asking the hub', () => hub.merchant.get());
  // Masked before `Menu` reads it: its issues quote ids, and cut them.
  return { merchant: terminal.masked(merchant), issues };
}

function fromFile(path: string): Read {
  try {
    return readMerchant(readJsonFile('--file', path), 'lenient');
  } catch (error) {
    if (!isHubError(error) || error.code !== 'invalid_response') throw error;
    throw new ConfigurationError('--file', `${path} is not a merchant document: ${error.issues[0]?.message}`);
  }
}

function writePage(terminal: Terminal, path: string, page: string): void {
  try {
    writeFileSync(path, terminal.cleanPage(page));
  } catch (error) {
    throw new ConfigurationError('--html', `${path} cannot be written: ${reasonOf(error)}`);
  }
  terminal.remark(`written to ${path}`);
}

function instantOf(text: string): number {
  // Date.parse takes '-3' for a day of 2001.
  const at = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(at)) return at;
  throw new ConfigurationError('--at', `'${text}' is not a date and time such as 2026-11-21T20:00-03:00`);
}
