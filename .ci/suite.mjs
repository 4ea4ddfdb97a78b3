/**
 * The tests on every Node of the gate: all of them on the newest one, and on the oldest one if the newcomer has not run
 * them on its major version; on the others those in which Node itself decides: sockets, files, processes, streams,
 * modules. Of the command line these are some: `.ci/package.mjs` starts the command on every Node.
 *
 * They repeat everything as often as `npm test`, and include what is tagged `slow`; `npm run test:long` repeats it as often
 * as the tests say.
 */
import { spawnSync } from 'node:child_process';
import { delimiter, dirname } from 'node:path';
import { RUNTIMES } from './nodes.mjs';
import { root, Workshop } from './workshop.mjs';

/** A suite that takes longer hangs; two cores need two minutes. */
const MAX_SUITE_MS = 480_000;

const DEPENDING_ON_NODE = [
  'async',
  'cli/environment',
  'cli/mock',
  'cli/record',
  'events/push',
  'http',
  'security',
  'shutdown',
  'state',
  'testing',
  'tracing',
].map((path) => `test/${path}`);

const shop = new Workshop();
const failed = [];
try {
  // They wait for the registry beside each other.
  const binaries = await Promise.all(RUNTIMES.map(({ node }) => shop.node(node)));
  // One after another: the tests use all cores, and some measure how long something takes.
  for (const [index, binary] of binaries.entries()) {
    const isNewest = index === binaries.length - 1;
    const PATH = `${dirname(binary)}${delimiter}${process.env.PATH}`;
    const env = { ...process.env, PATH };
    const version = spawnSync('node', ['--version'], { env, encoding: 'utf8' }).stdout?.trim();
    const expected = spawnSync(binary, ['--version'], { encoding: 'utf8' }).stdout?.trim();
    // What a test starts must not fall back to another Node.
    if (!version || version !== expected) throw new Error(`node is ${version} there, not ${expected}`);
    if (version === process.version && !isNewest) {
      console.log(`node ${version}: the newcomer has run the tests`);
      continue;
    }
    const isWhole = isNewest || (index === 0 && majorOf(version) !== majorOf(process.version));
    const startedAt = Date.now();
    const args = [
      'node_modules/vitest/vitest.mjs',
      'run',
      '--reporter=dot',
      '--exclude=test/**/*.gate.test.ts',
      ...(isWhole ? [] : DEPENDING_ON_NODE),
    ];
    const { status } = spawnSync(binary, args, { cwd: root, env, stdio: 'inherit', timeout: MAX_SUITE_MS });
    console.log(`node ${version}: ${status === 0 ? 'passed' : 'FAILED'} in ${seconds(startedAt)} s`);
    if (status !== 0) failed.push(version);
  }
} finally {
  shop.close();
}
if (failed.length > 0) {
  console.error(`the tests fail on node ${failed.join(', ')}`);
  process.exitCode = 1;
}

function majorOf(version) {
  return version.split('.')[0];
}

function seconds(since) {
  return Math.round((Date.now() - since) / 1000);
}
