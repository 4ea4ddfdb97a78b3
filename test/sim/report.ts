import type { Figures } from './figures.js';
import type { Result, Scenario } from './scenarios.js';

const whole = (value: number) => Math.round(value).toLocaleString('en-US');
const seconds = (ms: number) => `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 0)} s`;

type Column = readonly [title: string, valueOf: (part: Figures, standsFor: number) => string];

/** The largest value of a second says nothing about the whole if the simulation is a smaller part of it. */
const SMALLEST_PART = 20;

const mostOf = (value: number, times: number) => (times > SMALLEST_PART ? '–' : whole(value * times));

/** Totals are those of the whole, of which the simulation may be a part. */
const COLUMNS: readonly Column[] = [
  ['part', ({ name }) => name],
  [
    'polls/s (most)',
    (part, times) =>
      `${whole((part.polls / part.seconds) * times)} (${mostOf(part.mostPollsPerSecond, times)})`,
  ],
  ['late p50', ({ late }) => (late.count > 0 ? seconds(late.quantile(0.5)) : '–')],
  ['p99', ({ late }) => (late.count > 0 ? seconds(late.quantile(0.99)) : '–')],
  ['longest', ({ late }) => (late.count > 0 ? seconds(late.max) : '–')],
  ['over 1 s', ({ late }) => `${whole(late.countOver(1000))} of ${whole(late.count)}`],
  ['longest gap', ({ gaps }) => (gaps.count > 0 ? seconds(gaps.max) : '–')],
  ['in flight, one process', ({ mostInFlightOfOne }) => whole(mostInFlightOfOne)],
  ['in flight, all', ({ mostInFlight }, times) => mostOf(mostInFlight, times)],
  ['tokens', ({ tokens }, times) => whole(tokens * times)],
  [
    'Redis/s (most)',
    (part, times) =>
      `${whole((part.redisCommands / part.seconds) * times)} (${mostOf(part.mostRedisPerSecond, times)})`,
  ],
  ['events/s', (part, times) => whole((part.handled / part.seconds) * times)],
  [
    'CPU of a process',
    ({ usedMs, machines, seconds: length }) => `${(usedMs / machines / length / 10).toFixed(1)} %`,
  ],
];

/** A scenario's result as a Markdown table. */
export function reportOf({ title, standsFor }: Scenario, { cluster, parts, cpuMs }: Result): string {
  const { stores, processes } = cluster.options;
  const polls = cluster.parts.reduce((sum, part) => sum + part.polls, 0);
  const simulated = `${whole(stores)} stores, ${processes} ${processes === 1 ? 'process' : 'processes'} simulated`;
  const extrapolated =
    standsFor === 1 ? '' : `; totals (not "late", "gap" and "one process") times ${standsFor}`;
  return [
    `## ${title}`,
    '',
    `${simulated}${extrapolated}. ${whole(polls)} polls, ${(cpuMs / 1000).toFixed(0)} s of CPU.`,
    `Limits broken, events handled twice or acknowledged unhandled: ${cluster.violations.length}.`,
    ...cluster.violations.slice(0, 5).map((violation) => `- ${violation}`),
    `Events that have waited for more than two minutes at the end: ${cluster.overdueEvents(120_000)}.`,
    '',
    table([
      COLUMNS.map(([name]) => name),
      ...parts.map((part) => COLUMNS.map(([, of]) => of(part, standsFor))),
    ]),
    '',
    `Redis commands: ${commandsOf(cluster.redis.counts, polls)}.`,
  ].join('\n');
}

export function table([head = [], ...rows]: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

const commandsOf = (counts: ReadonlyMap<string, number>, polls: number) =>
  [...counts]
    .sort(([, one], [, other]) => other - one)
    .map(([name, count]) => `${name} ${(count / polls).toFixed(3)} per poll`)
    .join(', ');
