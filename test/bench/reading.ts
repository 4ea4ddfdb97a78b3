import { readMerchant } from '../../src/merchant/read.js';
import type { Json } from '../../src/testing/fixtures.js';
import { type Effort, OURS, type Table } from './bench.js';
import { SIZES, type Size } from './documents.js';
import { type Checkers, checkersOf } from './peers.js';
import { type Contender, type Rounds, sideBySide } from './side-by-side.js';
import { bytesOf } from './turns.js';

const ROUNDS: Readonly<Record<Size, Rounds>> = {
  XS: { rounds: 3, warmUp: 1 },
  S: { rounds: 51, warmUp: 50 },
  M: { rounds: 25, warmUp: 10 },
  L: { rounds: 9, warmUp: 2 },
};

/** The reader of `hub.merchant`, without the request: it is not an export of the package. */
const ours = (document: unknown) => readMerchant(document);

/**
 * Our reader and the peers compared with `JSON.parse` alone: hot, and after a full garbage collection.
 *
 * @param goal - the largest ratio to `JSON.parse` that reaches it.
 */
export async function* readingTables(
  documentOf: (items: number) => Json,
  effort: Effort,
  goal: number,
): AsyncGenerator<Table> {
  const checkers = await checkersOf();
  for (const size of effort === 'quick' ? (['XS'] as const) : (['S', 'M', 'L'] as const)) {
    const text = JSON.stringify(documentOf(SIZES[size]));
    const { issues } = ours(JSON.parse(text));
    const bytes = Buffer.byteLength(text);
    const about = `${size}, ${SIZES[size]} items, ${Math.round(bytes / 1000)} kB, ${issues.length} issues`;
    for (const afterCollection of [false, true]) {
      const when = afterCollection ? 'after a full collection' : 'hot';
      const rows = await sideBySide(contenders(text, checkers, goal), { ...ROUNDS[size], afterCollection });
      yield { title: `${about}: ${when}`, unit: 'ms', rows };
    }
  }
}

function contenders(text: string, checkers: Checkers, ratio: number): Contender[] {
  return [
    { name: 'JSON.parse', run: () => JSON.parse(text) as unknown },
    {
      name: OURS,
      run: () => ours(JSON.parse(text)),
      goal: { ratio },
    },
    ...[...checkers].map(([name, check]) => ({ name, run: () => check(JSON.parse(text)) })),
  ];
}

/** Bytes allocated by reading a parsed document, compared with parsing it. */
export function allocationTable(documentOf: (items: number) => Json, effort: Effort): Table {
  const size: Size = effort === 'quick' ? 'XS' : 'M';
  const text = JSON.stringify(documentOf(SIZES[size]));
  const copies = 6;
  const parsed = () => Array.from({ length: copies }, () => JSON.parse(text) as unknown);
  for (const document of parsed()) ours(document);
  const parsing = bytesOf(Array.from({ length: copies }, () => () => JSON.parse(text)));
  const checking = bytesOf(parsed().map((document) => () => ours(document)));
  const row = (name: string, bytes: number) => ({ name, median: bytes / 1000, ratio: bytes / parsing });
  return {
    title: `${size}: allocated`,
    unit: 'kB',
    rows: [row('JSON.parse', parsing), row(`the check of ${OURS}`, checking)],
  };
}
