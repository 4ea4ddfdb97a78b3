import type { Issue } from '../errors.js';
import type { MenuView, OfferView } from './menu-view.js';
import { harmless } from './spoken.js';
import type { Terminal } from './terminal.js';

const MAX_ISSUES = 20;

/** A menu as a person reads it, line by line. */
export function* menuLines(view: MenuView, terminal: Terminal): Generator<string> {
  const closed = (why: string | undefined) => terminal.paint('red', `[closed: ${harmless(why ?? '')}]`);
  yield terminal.paint('bold', harmless(view.name)) +
    (view.status === 'UNAVAILABLE' ? ` ${closed('until further notice')}` : '');
  for (const service of view.services) {
    yield '';
    const opens = service.opensAt === undefined ? '' : `, opens ${service.opensAt}`;
    yield `${terminal.paint('cyan', harmless(service.type))} ${service.available ? terminal.paint('green', 'open') : closed(`${service.why}${opens}`)}`;
    for (const category of service.menu?.categories ?? []) {
      yield '';
      yield `  ${terminal.paint('bold', harmless(category.name))}${category.available ? '' : ` ${closed(category.why)}`}`;
      for (const offer of category.offers) yield* offerLines(offer, terminal, category.available);
    }
  }
  if (view.unlisted.length > 0) {
    yield '';
    yield `  ${terminal.paint('bold', 'in no category')}`;
    for (const offer of view.unlisted) yield* offerLines(offer, terminal, true);
  }
  yield '';
  yield* issueLines(view.issues);
}

function* offerLines(offer: OfferView, terminal: Terminal, withWhy: boolean): Generator<string> {
  const before = offer.before ? terminal.paint('dim', ` instead of ${offer.before}`) : '';
  const mark = offer.available ? '' : terminal.paint('red', withWhy ? ` [${offer.why}]` : ' [closed]');
  yield `    ${harmless(offer.name).padEnd(36)} ${offer.price.padStart(12)}${before}${mark}`;
  if (offer.description) yield terminal.paint('dim', `      ${harmless(offer.description).slice(0, 100)}`);
  for (const { name, rule, options } of offer.groups) {
    const each = options.map((option) =>
      `${option.name} ${option.price}${option.available ? '' : ' [not available]'}`.trim(),
    );
    yield `      ${harmless(name)} (${rule}): ${harmless(each.join(', '))}`;
  }
}

function* issueLines(issues: readonly Issue[]): Generator<string> {
  yield issues.length === 0 ? 'no issues' : `${issues.length} issues`;
  for (const { path, code, message } of issues.slice(0, MAX_ISSUES)) {
    yield `  ${harmless(path.join('.'))}: ${harmless(message)} (${code})`;
  }
  if (issues.length > MAX_ISSUES) yield `  and ${issues.length - MAX_ISSUES} more; --json lists them all`;
}
