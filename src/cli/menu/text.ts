import type { Issue } from '../../errors/index.js';
import { isUnavailable } from '../../menu/entries.js';
import { formatAgainst, formatCount } from '../format.js';
import { paint, type Styled, styled } from '../styled.js';
import type { Terminal } from '../terminal.js';
import { formatChoice, formatMoney, type MenuView, type OfferView } from './view.js';

const MAX_ISSUES = 20;

type Line = string | Styled;

const closed = (why: string | undefined) => paint('red', `[closed: ${why ?? ''}]`);

export function* menuLines(view: MenuView, terminal: Terminal): Generator<Line> {
  const until = isUnavailable(view) ? styled` ${closed('until further notice')}` : '';
  yield styled`${paint('bold', view.name)}${until}`;
  for (const service of view.services) {
    yield '';
    const opens = service.opensAt === undefined ? '' : `, opens ${service.opensAt}`;
    const state = service.available ? paint('green', 'open') : closed(`${service.why}${opens}`);
    yield styled`${paint('cyan', service.type)} ${state}`;
    for (const category of service.menu?.categories ?? []) {
      yield '';
      const mark = category.available ? '' : styled` ${closed(category.why)}`;
      yield styled`  ${paint('bold', category.name)}${mark}`;
      for (const offer of category.offers) yield* offerLines(offer, terminal, category.available);
    }
  }
  if (view.unlisted.length > 0) {
    yield '';
    yield styled`  ${paint('bold', 'not in a category')}`;
    for (const offer of view.unlisted) yield* offerLines(offer, terminal, true);
  }
  yield '';
  yield* issueLines(view.issues, terminal);
}

function* offerLines(offer: OfferView, terminal: Terminal, showReason: boolean): Generator<Line> {
  const before = offer.before ? paint('dim', ` instead of ${formatMoney(offer.before)}`) : '';
  const mark = offer.available ? '' : paint('red', showReason ? ` [${offer.why}]` : ' [closed]');
  const width = terminal.columns < 90 ? 20 : 36;
  yield styled`    ${offer.name.padEnd(width)} ${formatMoney(offer.price).padStart(12)}${before}${mark}`;
  if (offer.description) yield paint('dim', `      ${terminal.truncate(offer.description, 100)}`);
  for (const group of offer.groups) {
    const options = group.options.map((option) =>
      [
        option.name,
        ...(option.price && option.price.value > 0 ? [`+ ${formatMoney(option.price)}`] : []),
        ...(option.available ? [] : ['[not available]']),
      ].join(' '),
    );
    yield `      ${group.name} (${formatChoice(group)}): ${options.join(', ')}`;
  }
}

function* issueLines(issues: readonly Issue[], terminal: Terminal): Generator<Line> {
  yield issues.length === 0 ? 'no issues' : formatCount(issues.length, 'issue');
  for (const { path, code, message, against } of issues.slice(0, MAX_ISSUES)) {
    yield `  ${terminal.truncate(path.join('.'), 200)}: ${terminal.truncate(message, 300)} (${code}, ${formatAgainst(against)})`;
  }
  if (issues.length > MAX_ISSUES) yield `  and ${issues.length - MAX_ISSUES} more; to list all, pass --json`;
}
