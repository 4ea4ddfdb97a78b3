/** What is in the packed package beside its entries. */
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
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

export async function checkContents(shop) {
  const folder = shop.folder('contents');
  await mkdir(folder);
  await run('tar', ['xzf', shop.tarball], { cwd: folder });
  const files = (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const read = (path) => readFile(join(folder, 'package', path), 'utf8');

  for (const path of DOCUMENTS) await read(path);

  const notices = await read('dist/THIRD-PARTY-NOTICES.txt');
  const named = [...notices.matchAll(/^(\S+) \d+\.\d+\.\d+ \(\S+\)$/gm)].map(([, name]) => name);
  if (named.sort().join() !== BUNDLED.join()) throw new Error(`notices are for ${named}, not for ${BUNDLED}`);
  if (notices.split('Copyright').length <= BUNDLED.length) throw new Error('a licence text is missing');

  const maps = files.filter((path) => path.endsWith('.map'));
  const code = files.filter((path) => /package\/dist\/.*\.c?js$/.test(path));
  if (maps.length !== code.length)
    throw new Error(`${code.length} files of code, ${maps.length} source maps`);
  for (const map of maps) {
    const { sources } = JSON.parse(await readFile(map, 'utf8'));
    const own = sources
      .map((source) => join(dirname(map), source))
      .filter((path) => !path.includes('node_modules'));
    const missing = own.filter((path) => !files.includes(path));
    if (missing.length > 0) throw new Error(`${map} names ${missing}, which is not in the package`);
  }
  console.log(`contents: ${files.length} files, ${maps.length} source maps, notices for ${named.join(', ')}`);
}
