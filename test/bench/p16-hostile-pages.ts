import { type Bench, type Effort, medianOf, OURS, type Row } from './bench.js';
import { JumpClock } from './contenders/jump-clock.js';
import { importHub } from './packages.js';
import { type Timing, timed, turnsOf } from './turns.js';

const LENGTH = 64 * 1024;
const filledWith = (part: string) => part.repeat(Math.ceil(LENGTH / part.length)).slice(0, LENGTH);

/** Pages that make a careless search quadratic: almost the secret, in every encoding that is searched. */
const PAGES: ReadonlyArray<readonly [name: string, secret: string, page: string]> = [
  ['plain text', 'a secret of 40 characters, for this page', filledWith('Service unavailable. ')],
  ['the secret without its end', `${'a'.repeat(39)}b`, filledWith('a')],
  ['percent signs', '%25%25%25%25%25%25%25%2', filledWith('%25')],
  ['escaped backslashes', '\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\u', filledWith('\\')],
  ['HTML entities', '&&&&&&&&&&&&&&&&&&&&&&&&a', filledWith('&amp;')],
  ['open entities', '&#38;&#38;&#38;&#38;&#38;x', filledWith('&#')],
  ['unicode escapes', 'uuuuuuuuuuuuuuuuuuuuuuuuv', filledWith('\\u0075')],
  ['digits', `${'1'.repeat(39)}2`, filledWith('1')],
  ['a long secret', `${'ab'.repeat(3000)}c`, filledWith('ab')],
];

/** A client whose hub answers every request for the menu with an error page. */
async function clientFor(apiKey: string, page: string) {
  const { HubClient } = await importHub();
  const clock = new JumpClock();
  const fetch = async () => new Response(page, { status: 400, headers: { 'content-type': 'text/html' } });
  const hub = new HubClient({ baseUrl: 'https://hub.example', apiKey, fetch, clock, logger: false });
  return async () => {
    clock.jump(61_000);
    await hub.merchant.get({ fresh: true }).then(
      () => {
        throw new Error('the request must fail');
      },
      () => {},
    );
  };
}

async function measured(rounds: number): Promise<Row[]> {
  const json = JSON.stringify(filledWith('Service unavailable. '));
  const works: (() => unknown)[] = [() => JSON.parse(json)];
  // A request with an empty page: what the request itself costs is not part of the masking.
  for (const [, secret, page] of PAGES) {
    works.push(await clientFor(secret, page), await clientFor(secret, ''));
  }
  const timings: Timing[][] = works.map(() => []);
  for (let round = -2; round < rounds; round += 1) {
    for (const index of turnsOf(round, works.length)) {
      const timing = await timed(works[index] as () => unknown);
      if (round >= 0) timings[index]?.push(timing);
    }
  }
  const medians = timings.map((each) => medianOf(each.map(({ cpuMs }) => cpuMs)));
  const floor = medians[0] as number;
  return [
    { name: 'JSON.parse of a string of this length', median: floor, ratio: 1 },
    ...PAGES.map(([name], index): Row => {
      const median = (medians[1 + 2 * index] as number) - (medians[2 + 2 * index] as number);
      return { name: `${OURS}, ${name}`, median, ratio: median / floor, goal: { median: 5 } };
    }),
  ];
}

export const bench: Bench = {
  title: 'P16: masking secrets in a hostile page of 64 KiB',
  goal: 'at most 5 ms, for any secret',
  async *tables(effort: Effort) {
    const rows = await measured(effort === 'quick' ? 1 : 51);
    yield {
      title: 'a request that gets the page, less the same request with an empty page',
      unit: 'ms',
      rows,
    };
  },
};
