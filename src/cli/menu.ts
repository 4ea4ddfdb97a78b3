import { readFileSync, writeFileSync } from 'node:fs';
import { ConfigurationError, type Issue } from '../errors.js';
import { Menu } from '../merchant/menu.js';
import { readMerchant } from '../merchant/read.js';
import type { Merchant } from '../schemas/merchant.js';
import { type ConnectionOptions, connect } from './connect.js';
import { menuHtml } from './menu-html.js';
import { menuLines } from './menu-text.js';
import { viewOf } from './menu-view.js';
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
  const at = options.at === undefined ? terminal.clock.now() : Date.parse(options.at);
  if (Number.isNaN(at))
    throw new ConfigurationError('--at', `'${options.at}' is no date such as 2026-11-21T20:00-03:00`);
  const { merchant, issues } = await (options.file === undefined
    ? fromHub(terminal, options)
    : fromFile(options.file));
  const timeZone = options.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  const view = viewOf(new Menu(merchant, { timeZone }), at, issues);
  if (options.timeZone === undefined) {
    terminal.remark(`hours without a zone are read in ${timeZone}, this machine's; --time-zone changes that`);
  }
  if (options.json) return terminal.line(JSON.stringify(view, undefined, 2));
  if (options.html === true) return terminal.line(menuHtml(view));
  if (options.html !== undefined) {
    writeFileSync(options.html, menuHtml(view));
    return terminal.remark(`written to ${options.html}`);
  }
  for (const line of menuLines(view, terminal)) await terminal.line(line);
}

interface Read {
  readonly merchant: Merchant;
  readonly issues: readonly Issue[];
}

async function fromHub(terminal: Terminal, options: MenuCommandOptions): Promise<Read> {
  await using hub = connect(options, { logger: false, clock: terminal.clock });
  return await hub.merchant.get();
}

function fromFile(path: string): Read {
  let document: unknown;
  try {
    document = JSON.parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    throw new ConfigurationError('--file', `${path} cannot be read as JSON: ${(cause as Error).message}`);
  }
  return readMerchant(document, 'lenient');
}
