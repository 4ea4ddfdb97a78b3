import { Command } from 'commander';
import { ConfigurationError, isHubError } from '../errors/index.js';
import { Menu } from '../menu/menu.js';
import { fixedZone, instantsOf, namedZone, wallTimeAt } from '../menu/zone.js';
import { asSentOf } from '../merchant/cached-menu.js';
import { readMerchant } from '../merchant/read.js';
import { instantOf } from '../schemas/date-time.js';
import { addConnectionOptions, type ConnectionOptions, connect } from './connect.js';
import { readJsonFile, writeFile } from './files.js';
import { menuHtml } from './menu/html.js';
import { menuLines } from './menu/text.js';
import { menuView } from './menu/view.js';
import type { Terminal } from './terminal.js';

interface MenuOptions extends ConnectionOptions {
  readonly file?: string;
  readonly timeZone?: string;
  readonly at?: string;
  readonly json?: boolean;
  /** The name of a file, or true for stdout. */
  readonly html?: string | true;
}

export function menuCommand(terminal: Terminal): Command {
  return addConnectionOptions(new Command('menu'))
    .description("Prints a store's menu as customers see it: prices, discounts, what is closed, and issues.")
    .option('--file <file>', 'read the merchant document from this file, not from the hub')
    .option('--time-zone <zone>', "time zone of hours that have none (default: this machine's time zone)")
    .option('--at <time>', 'show the menu at this ISO 8601 time (default: now)')
    .option('--json', 'print one JSON document')
    .option('--html [file]', 'write one self-contained HTML page, to the file or to stdout')
    .action((options: MenuOptions) => showMenu(terminal, options));
}

async function showMenu(terminal: Terminal, options: MenuOptions): Promise<void> {
  const timeZone = options.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  const at = options.at === undefined ? terminal.clock.now() : parseInstant(options.at, timeZone);
  const { merchant, issues, asSent } = await (options.file === undefined
    ? fetchMerchant(terminal, options)
    : readMerchantFile(options.file));
  const menu = new Menu(merchant, { timeZone });
  const view = menuView(menu, at, [...issues, ...menu.issues.map(asSent)]);
  if (options.timeZone === undefined) {
    terminal.note(
      `Hours without a time zone are read in ${timeZone}, this machine's time zone. To change it, pass --time-zone.`,
    );
  }
  if (options.json) return terminal.json(view, 2);
  if (options.html === true) return terminal.page(menuHtml(view));
  if (options.html !== undefined) {
    writeFile('--html', options.html, terminal.sanitizePage(menuHtml(view)));
    return terminal.note(`The page was written to ${options.html}.`);
  }
  for (const line of menuLines(view, terminal)) await terminal.line(line);
}

async function fetchMerchant(terminal: Terminal, options: MenuOptions) {
  await using hub = await connect(terminal, options, 'menu');
  const snapshot = await terminal.withStatus('waiting for the hub', () => hub.merchant.get());
  // `Menu` finds the others again.
  const issues = snapshot.issues.filter(({ code }) => code !== 'dangling' && code !== 'duplicate');
  return { merchant: snapshot.merchant, issues, asSent: asSentOf(snapshot) };
}

function readMerchantFile(path: string) {
  try {
    return readMerchant(readJsonFile('--file', path));
  } catch (error) {
    if (!isHubError(error) || error.code !== 'invalid_response') throw error;
    throw new ConfigurationError('--file', `${path} is not a merchant document: ${error.issues[0]?.message}`);
  }
}

/** Without a zone it is a time in the store's, as hours are. */
function parseInstant(text: string, timeZone: string): number {
  const local = instantOf(`${text}Z`);
  const at =
    local === undefined
      ? instantOf(text)
      : instantsOf(wallTimeAt(local, fixedZone(0)), namedZone(timeZone))[0];
  if (at !== undefined) return at;
  throw new ConfigurationError('--at', `'${text}' is not a date and time such as 2026-11-21T20:00-03:00`);
}
