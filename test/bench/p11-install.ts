import { execFileSync } from 'node:child_process';
import { type Bench, compared, OURS, type Row, type Table } from './bench.js';
import { type InstalledSize, installedSize } from './installed-size.js';
import { HOW_TO_INSTALL, isInstalled, root } from './packages.js';

const PEERS = ['sqs-consumer', 'stripe', 'openai', '@octokit/rest', 'axios', 'got'];

/** The unpacked size of what npm publishes. */
function publishedBytes(): number {
  const output = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [packed] = JSON.parse(output) as [{ unpackedSize: number }];
  return packed.unpackedSize;
}

function table(
  title: string,
  unit: string,
  sizes: ReadonlyMap<string, InstalledSize>,
  figureOf: Figure,
): Table {
  const rows = [OURS, ...PEERS].map((name): Row => {
    const size = sizes.get(name);
    if (!size) return { name, note: `not installed: ${HOW_TO_INSTALL}` };
    return { name, median: figureOf(size), ...(name === OURS && unit === '' && { goal: { median: 6 } }) };
  });
  return { title, unit, rows: compared(rows) };
}

type Figure = (size: InstalledSize) => number;

export const bench: Bench = {
  title: 'P11: what an installation brings',
  goal: 'at most 6 packages; ours at most 3 MB unpacked',
  async *tables() {
    const own = publishedBytes();
    const sizes = new Map([[OURS, installedSize(root.replace(/\/$/, ''), own)]]);
    for (const peer of PEERS.filter(isInstalled)) {
      sizes.set(peer, installedSize(`${root}test/bench/node_modules/${peer}`));
    }
    yield table('packages', '', sizes, ({ packages }) => packages);
    yield table('size', 'MB', sizes, ({ bytes }) => bytes / 1e6);
    const row = { name: `${OURS}, its own files`, median: own / 1e6, goal: { median: 3 } };
    yield { title: 'unpacked', unit: 'MB', rows: [row] };
  },
};
