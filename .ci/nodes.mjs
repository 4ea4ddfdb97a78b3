/** The package, imported and required, on every Node it promises to run on. */
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { BINS, ENTRIES } from './entries.mjs';
import { manifest, packagesIn, root, run } from './workshop.mjs';

/** Node's versions, and the MSW, undici and Nest that run there. Nest 12 is ESM only, which Node 20.18 cannot require. */
export const RUNTIMES = [
  { node: '20.18.1', msw: '2.15', undici: '7', nest: '11' },
  { node: '20', msw: '2.15', undici: '7', nest: '11' },
  { node: '22', msw: '3', undici: '8', nest: '12' },
  { node: '24', msw: '3', undici: '8', nest: '12' },
  { node: '26', msw: '3', undici: '8', nest: '12' },
];

/** What a user of the main entry may get at the most, this package included. */
const MAX_PACKAGES = 6;

const SCRIPTS = join(root, '.ci/consumer');

const alone = ENTRIES.filter(({ needs }) => needs.length === 0);
const namesOf = (entries) => entries.map(({ path }) => join(manifest.name, path));

/** The peers that entries need, each as the package asks for it; of Nest this version. */
export const peersWith = (nest) =>
  [...new Set(ENTRIES.flatMap(({ needs }) => needs))].map(
    (name) => `${name}@${name === '@nestjs/common' ? nest : manifest.peerDependencies[name]}`,
  );

export function nodes(shop) {
  return [
    async () => {
      const installed = packagesIn(await plain(shop));
      const list = `${installed.length} packages (${installed.join(', ')})`;
      if (installed.length > MAX_PACKAGES) throw new Error(`too many for one: ${list}`);
      console.log(`installed: ${list}`);
    },
    ...RUNTIMES.map((runtime) => () => onNode(shop, runtime)),
  ];
}

async function onNode(shop, { node, msw, undici, nest }) {
  const [binary, empty, mocked] = await Promise.all([
    shop.node(node),
    plain(shop),
    withScripts(
      shop,
      `mocked-by-msw-${msw}`,
      `msw@${msw}`,
      `undici-of-the-app@npm:undici@${undici}`,
      ...peersWith(nest),
    ),
  ]);
  const uses = (folder, ...args) => run(binary, args, { cwd: folder });

  await uses(empty, 'doors.mjs', ...namesOf(alone));
  await uses(mocked, 'doors.mjs', ...namesOf(ENTRIES));
  for (const kind of ['mjs', 'cjs']) await uses(empty, `main.${kind}`);
  // MSW 2.15 cannot be required before Node 20.19: one of its own dependencies is ESM only.
  for (const kind of node === '20.18.1' ? ['mjs'] : ['mjs', 'cjs']) await uses(mocked, `mocks.${kind}`);
  for (const { name, args } of BINS) {
    await uses(empty, join('node_modules', manifest.name, manifest.bin[name]), ...args);
  }
  const version = (await run(binary, ['--version'])).trim();
  console.log(`node ${version}: imported and required, msw ${msw} and undici ${undici} catch it`);
}

const plain = (shop) => withScripts(shop, 'plain');

/** Each made once, because two copies into one folder at the same time fail. */
const made = new Map();

function withScripts(shop, name, ...others) {
  if (!made.has(name)) made.set(name, copied(shop.project(name, ...others)));
  return made.get(name);
}

async function copied(project) {
  const folder = await project;
  await cp(SCRIPTS, folder, { recursive: true });
  return folder;
}
