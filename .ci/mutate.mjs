/**
 * Draws single mutations of the sources by a seed, and runs the tests on each: those of the same folder first, then all.
 * What survives is a promise without a test, or code without a purpose.
 *
 *   node .ci/mutate.mjs --seed 1 --count 150
 *   node .ci/mutate.mjs --seed 1 --count 20 --only fleet/bullmq
 *
 * `--output` (default `node_modules/.cache/mutations-<seed>.json`) has the results; a run that was ended goes on from there.
 * `--limit` is the time for one mutation, in seconds (default 600): one that takes longer hangs, and is killed.
 * With OPENDELIVERY_REQUIRE_ALL=1, the tests of the gate run too.
 */
import { execFileSync, spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { described, mutated, mutationsOf, shuffled, summaryOf } from './mutations.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

const { values: options } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: '150' },
    only: { type: 'string', default: '' },
    output: { type: 'string' },
    limit: { type: 'string', default: '600' },
  },
});
const count = Number(options.count);
const limitMs = Number(options.limit) * 1000;
if (!(count > 0 && limitMs > 0)) throw new Error('--count and --limit: must be numbers greater than 0');
const output = options.output ?? join(root, `node_modules/.cache/mutations-${options.seed}.json`);

/** @type {(...args: string[]) => string[]} */
const git = (...args) =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\0').filter(Boolean);

/** Made by `npm run generate`, or code of a browser, whose tests run in the gate. */
const IS_LEFT_OUT = /\/generated\/|\/console\/page(?:\/|-file\.ts$)/;
const prefix = join('src', options.only, '/');
const files = git('ls-files', '-z', 'src')
  .filter((file) => file.endsWith('.ts') && file.startsWith(prefix) && !IS_LEFT_OUT.test(file))
  .filter((file) => existsSync(join(root, file)));
if (files.length === 0) throw new Error(`--only: there is no file in ${prefix}`);

/** A copy of the tree, with what is not committed. Some tests ask git for its files. */
function copied() {
  const copy = mkdtempSync(join(tmpdir(), 'mutate-'));
  execFileSync('git', ['clone', '--quiet', '--shared', root, copy]);
  for (const file of git('ls-files', '-z', '--modified', '--others', '--exclude-standard')) {
    if (existsSync(join(root, file))) cpSync(join(root, file), join(copy, file));
    else rmSync(join(copy, file));
  }
  // With a cache of its own: tests compile the sources into it, and ask where they are.
  mkdirSync(join(copy, 'node_modules'));
  for (const name of readdirSync(join(root, 'node_modules')))
    if (name !== '.cache') symlinkSync(join(root, 'node_modules', name), join(copy, 'node_modules', name));
  return copy;
}

/** @type {Set<import('node:child_process').ChildProcess>} */
const running = new Set();
const copy = copied();
process.once('exit', () => {
  for (const { pid } of running) if (pid) process.kill(-pid, 'SIGKILL');
  rmSync(copy, { recursive: true, force: true });
});
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));

/**
 * @param {string[]} args
 * @param {number} forMs
 * @param {'ignore' | 'inherit'} stdio
 * @returns {Promise<'passed' | 'failed' | 'hung'>}
 */
function node(args, forMs, stdio = 'ignore') {
  return new Promise((resolve) => {
    // A group of its own: a test that hangs has started processes too.
    const child = spawn(process.execPath, args, { cwd: copy, stdio, detached: true });
    running.add(child);
    let isLate = false;
    const timer = setTimeout(
      () => {
        isLate = true;
        if (child.pid) process.kill(-child.pid, 'SIGKILL');
      },
      Math.max(1, forMs),
    );
    child.once('exit', (code) => {
      clearTimeout(timer);
      running.delete(child);
      resolve(isLate ? 'hung' : code === 0 ? 'passed' : 'failed');
    });
  });
}

const compiles = async () => {
  const check = ['--noEmit', '--noUnusedLocals', 'false', '--noUnusedParameters', 'false'];
  return (await node(['node_modules/typescript-7/bin/tsc', ...check], limitMs)) === 'passed';
};

const VITEST = ['node_modules/vitest/vitest.mjs', 'run', '--reporter=dot', '--bail=1'];

/** @type {(forMs: number, ...filters: string[]) => ReturnType<typeof node>} */
const tests = (forMs, ...filters) => node([...VITEST, ...filters], forMs);

/** The tests of the same folder, or of the nearest one above that has any. @type {(file: string) => string} */
function nearest(file) {
  const path = file.replace(/^src/, 'test');
  if (dirname(path) === 'test') return `test/${basename(path, '.ts')}`;
  let folder = dirname(path);
  while (folder !== 'test' && !existsSync(join(copy, folder))) folder = dirname(folder);
  return `${folder}/`;
}

/** @type {(file: string) => Promise<'killed' | 'hung' | 'survived'>} */
async function resultOf(file) {
  const endsAt = performance.now() + limitMs;
  // Without a test of this name, vitest fails: that is not a kill.
  const first = await tests(limitMs, nearest(file), '--passWithNoTests');
  const last = first === 'passed' ? await tests(endsAt - performance.now()) : first;
  return last === 'passed' ? 'survived' : last === 'hung' ? 'hung' : 'killed';
}

const key = ({ file, start, after }) => `${file}@${start}: ${after}`;
const known = existsSync(output) ? JSON.parse(readFileSync(output, 'utf8')) : {};
const keep = () => writeFileSync(output, `${JSON.stringify(known, undefined, 1)}\n`);

const all = files.flatMap((file) => mutationsOf(file, readFileSync(join(root, file), 'utf8')));
console.log(
  `${all.length} mutations in ${files.length} files of ${prefix}; ${count} by the seed ${options.seed}`,
);
if (!(await compiles())) throw new Error('the sources do not compile without a mutation');
if ((await node(VITEST, limitMs, 'inherit')) !== 'passed')
  throw new Error('the tests fail without a mutation');

const results = [];
for (const mutation of shuffled(all, options.seed)) {
  if (results.length === count) break;
  const { file } = mutation;
  let result = known[key(mutation)]?.result;
  if (result === undefined) {
    const text = readFileSync(join(root, file), 'utf8');
    writeFileSync(join(copy, file), mutated(text, mutation));
    result = (await compiles()) ? await resultOf(file) : 'does not compile';
    writeFileSync(join(copy, file), text);
    known[key(mutation)] = { ...mutation, result };
    keep();
  }
  if (result === 'does not compile') continue;
  results.push({ ...mutation, result });
  console.log(`${results.length}/${count} ${result}: ${described(mutation)}`);
}
console.log(`\n${summaryOf(results).join('\n')}`);
