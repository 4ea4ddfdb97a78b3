import type { OrderEvent, OrderHappening } from '../wire-order.js';
import { type Child, el } from './dom.js';
import { duration, timeOfDay } from './format.js';
import { now } from './live.js';
import { statusClass } from './status.js';
import { t } from './texts.js';

type Kind = 'command' | 'poll' | 'push' | 'acknowledgment';

interface Mark {
  readonly kind: Kind;
  readonly at: number;
  readonly status: number | undefined;
  readonly number?: number;
}

/** An event with its requests, or all tries of a command. */
interface Line {
  readonly name: string;
  readonly at: number;
  readonly event?: OrderEvent;
  readonly marks: Mark[];
}

const KINDS: readonly Kind[] = ['command', 'poll', 'push', 'acknowledgment'];

/** What happened to an order: a line for each event and command, and beside the lines one axis of time. */
export function timeline(happened: readonly OrderHappening[]): HTMLElement {
  const lines = linesOf(happened);
  const instants = lines.flatMap(({ at, event, marks }) => [
    at,
    event?.acknowledgedAt ?? at,
    ...marks.map((mark) => mark.at),
  ]);
  const from = Math.min(...instants);
  const to = Math.max(from + 1000, ...instants, lines.some(isPending) ? now() : from);
  const place = (at: number) => `${(100 * (at - from)) / (to - from)}%`;
  const kinds = KINDS.filter((kind) => lines.some(({ marks }) => marks.some((mark) => mark.kind === kind)));
  return el(
    'div',
    {},
    el(
      'p',
      { class: 'line legend', 'aria-hidden': 'true' },
      ...kinds.map((kind) => el('span', {}, el('i', { class: `mark ${kind}` }), t().orders.kinds[kind])),
      el('span', { class: 'ends' }, `${timeOfDay(from)} – ${timeOfDay(to)}`),
    ),
    el(
      'ol',
      { class: 'happened' },
      ...lines.map((line) =>
        el('li', {}, el('div', { class: 'line' }, ...told(line)), axis(line, to, place)),
      ),
    ),
  );
}

/** A command that is sent again stays on the line of its first try. */
function linesOf(happened: readonly OrderHappening[]): Line[] {
  const commands = new Map<string, Line>();
  return happened.flatMap((each): Line[] => {
    const { name, at } = each;
    if (each.what === 'event') return [{ name, at, event: each, marks: [...each.tries] }];
    const mark: Mark = { kind: 'command', at, status: each.status, number: each.number };
    const known = commands.get(name);
    if (known) {
      known.marks.push(mark);
      return [];
    }
    const line = { name, at, marks: [mark] };
    commands.set(name, line);
    return [line];
  });
}

const isGood = ({ status }: Mark): boolean => status !== undefined && status >= 200 && status < 400;

/** The application has not acknowledged the event, and no webhook has accepted it. */
const isPending = ({ event, marks }: Line): boolean =>
  event !== undefined &&
  event.acknowledgedAt === undefined &&
  !marks.some((mark) => mark.kind === 'push' && isGood(mark));

/** The line in words. */
function told(line: Line): Child[] {
  const { name, at, event, marks } = line;
  const texts = t().orders;
  const of = (kind: Kind) => marks.filter((mark) => mark.kind === kind);
  const after = (text: string, then: number) =>
    el('span', { class: 'quiet' }, `${text} +${duration(then - at)}`);
  const polls = of('poll').length;
  return [
    el('time', {}, timeOfDay(at)),
    el('span', { class: 'quiet' }, event ? texts.event : texts.command),
    el('code', {}, name),
    event?.deliveredAt !== undefined && after(texts.delivered, event.deliveredAt),
    polls > 1 && el('span', { class: 'quiet' }, t().events.polls(polls)),
    ...of('push').map(status),
    event?.acknowledgedAt !== undefined && after(texts.acknowledged, event.acknowledgedAt),
    isPending(line) && el('span', { class: 'asks' }, texts.waiting),
    ...of('acknowledgment').map(status),
    ...of('command').map(status),
    event?.metadata !== undefined && el('code', { class: 'metadata' }, JSON.stringify(event.metadata)),
  ];
}

/** The status of a request; it leads to the request, if the journal has it. */
function status({ kind, at, number, ...mark }: Mark): HTMLElement {
  const texts = t().orders;
  const look = { class: statusClass(mark.status) };
  const shown = mark.status || texts.noResponse;
  if (number === undefined) return el('span', look, `${texts.kinds[kind]} ${shown}`);
  return el(
    'a',
    {
      ...look,
      href: `#/requests/${number}`,
      'aria-label': `${texts.kinds[kind]} ${shown}, ${timeOfDay(at)}`,
      'data-focus': `request-${number}`,
    },
    shown,
  );
}

/** The line drawn to scale. It has nothing that the words do not say. */
function axis(line: Line, to: number, place: (at: number) => string): HTMLElement {
  const { at, event, marks } = line;
  const end = isPending(line) ? to : Math.max(event?.acknowledgedAt ?? at, ...marks.map((mark) => mark.at));
  const span = el('i', { class: isPending(line) ? 'span is-pending' : 'span' });
  span.style.left = place(at);
  span.style.right = `calc(100% - ${place(end)})`;
  const drawn = marks.map((mark) => {
    const good = isGood(mark) ? '' : ' bad';
    const element = el('i', {
      class: `mark ${mark.kind}${good}`,
      title: `${t().orders.kinds[mark.kind]} ${mark.status ?? t().orders.noResponse} +${duration(mark.at - at)}`,
    });
    element.style.left = place(mark.at);
    return element;
  });
  return el('div', { class: 'axis', 'aria-hidden': 'true' }, span, ...drawn);
}
