/** What is in the packed package beside its entries. */
import { mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { missingLinks } from './links.mjs';
import { checkLines } from './readable-code.mjs';
import { run } from './workshop.mjs';

const DOCUMENTS = [
  'README.md',
  'README.pt-BR.md',
  'llms.txt',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'LICENSE',
  'SECURITY.md',
  'docs/the-hub.md',
  'examples/first-orders.ts',
];

/** What installing, building and running leave in the folders that are packed. */
const NOT_SOURCE = /\.map$|\.pyc$|\bnode_modules\b|tsconfig\.json$|storefront\/public\/storefront\.js$/;

/** Packages whose code is in `dist`: their licences ask for a notice. */
const BUNDLED = ['commander', 'is-network-error', 'p-retry'];

/** Of all files, unpacked. */
const MAX_BYTES = 3_620_000;

export async function checkContents(shop) {
  const folder = shop.folder('contents');
  await mkdir(folder);
  await run('tar', ['xzf', shop.tarball], { cwd: folder });
  const unpacked = join(folder, 'package');
  const files = (await readdir(unpacked, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const read = (path) => readFile(join(unpacked, path), 'utf8');

  for (const path of DOCUMENTS) await read(path);
  const left = files.find((path) => NOT_SOURCE.test(relative(unpacked, path)));
  if (left) throw new Error(`${left} is packed and not a source; exclude it in \`files\` of package.json`);
  const missing = missingLinks(
    unpacked,
    files.map((path) => relative(unpacked, path)),
  );
  if (missing.length > 0)
    throw new Error(`files that the documents name are not packed:\n${missing.join('\n')}`);
  await checkLines(files);

  const notices = await read('dist/THIRD-PARTY-NOTICES.txt');
  const named = [...notices.matchAll(/^(\S+) \d+\.\d+\.\d+ \(\S+\)$/gm)].map(([, name]) => name);
  if (named.sort().join() !== BUNDLED.join()) throw new Error(`notices are for ${named}, not for ${BUNDLED}`);
  if (notices.split('Copyright').length <= BUNDLED.length) throw new Error('a licence text is missing');

  const sizes = await Promise.all(files.map(async (path) => (await stat(path)).size));
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  if (bytes > MAX_BYTES) throw new Error(`the package has ${bytes} bytes unpacked, not ${MAX_BYTES}`);
  console.log(`contents: ${files.length} files, ${bytes} bytes, notices for ${named.join(', ')}`);
}
