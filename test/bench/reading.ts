import { readMerchant } from '../../src/merchant/read.js';
import type { Json } from '../../src/testing/fixtures.js';
import { bytesOf, type Effort, type Rounds, sideBySide, type Table } from './bench.js';
import { SIZES, type Size } from './documents.js';
import { peersOf } from './peers.js';

const ROUNDS: Readonly<Record<Size, Rounds>> = {
  XS: { rounds: 3, warmUp: 1 },
  S: { rounds: 100, warmUp: 100 },
  M: { rounds: 50, warmUp: 20 },
  L: { rounds: 25, warmUp: 3 },
};

const ours = (document: unknown) => readMerchant(document, 'lenient');

/** Our reader and the peers compared with `JSON.parse` alone: hot, and after a full garbage collection. */
export async function* readingTables(
  documentOf: (items: number) => Json,
  effort: Effort,
): AsyncGenerator<Table> {
  const peers = peersOf();
  for (const size of effort === 'quick' ? (['XS'] as const) : (['S', 'M', 'L'] as const)) {
    const text = JSON.stringify(documentOf(SIZES[size]));
    const { issues } = ours(JSON.parse(text));
    const contenders = [
      { name: 'JSON.parse', run: () => JSON.parse(text) as unknown },
      { name: 'opendelivery-client', run: () => ours(JSON.parse(text)) },
      { name: 'ajv', run: () => peers.ajv(JSON.parse(text)) },
      { name: 'valibot loose', run: () => peers.valibot(JSON.parse(text)) },
      { name: 'zod loose', run: () => peers.zodLoose(JSON.parse(text)) },
    ];
    const bytes = Buffer.byteLength(text);
    const about = `${size}, ${SIZES[size]} items, ${Math.round(bytes / 1000)} kB, ${issues.length} issues`;
    for (const afterCollection of [false, true]) {
      const when = afterCollection ? 'after a full collection' : 'hot';
      const rows = await sideBySide(contenders, { ...ROUNDS[size], afterCollection });
      yield { title: `${about}: ${when}`, unit: 'ms', rows };
    }
  }
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
    rows: [row('JSON.parse', parsing), row('the check of opendelivery-client', checking)],
  };
}
