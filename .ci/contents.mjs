/** What is in the packed package beside its entries. */
import { mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from './workshop.mjs';

const DOCUMENTS = [
  'README.md',
  'README.pt-BR.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'LICENSE',
  'SECURITY.md',
  'docs/the-hub.md',
];

/** Packages whose code is in `dist`: their licences ask for a notice. */
const BUNDLED = ['commander', 'is-network-error', 'p-retry'];

/** Of all files, unpacked. */
const MAX_BYTES = 1_410_000;

export async function checkContents(shop) {
  const folder = shop.folder('contents');
  await mkdir(folder);
  await run('tar', ['xzf', shop.tarball], { cwd: folder });
  const files = (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const read = (path) => readFile(join(folder, 'package', path), 'utf8');

  const map = files.find((path) => path.endsWith('.map'));
  if (map) throw new Error(`${map} is packed; with source maps the package would be three times as large`);

  for (const path of DOCUMENTS) await read(path);

  const notices = await read('dist/THIRD-PARTY-NOTICES.txt');
  const named = [...notices.matchAll(/^(\S+) \d+\.\d+\.\d+ \(\S+\)$/gm)].map(([, name]) => name);
  if (named.sort().join() !== BUNDLED.join()) throw new Error(`notices are for ${named}, not for ${BUNDLED}`);
  if (notices.split('Copyright').length <= BUNDLED.length) throw new Error('a licence text is missing');

  const sizes = await Promise.all(files.map(async (path) => (await stat(path)).size));
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  if (bytes > MAX_BYTES) throw new Error(`the package has ${bytes} bytes unpacked, not ${MAX_BYTES}`);
  console.log(`contents: ${files.length} files, ${bytes} bytes, notices for ${named.join(', ')}`);
}
