/** All tests on every Node of the gate, but for the one it runs on itself: there `npm test` has run them. */
import { spawnSync } from 'node:child_process';
import { delimiter, dirname } from 'node:path';
import { RUNTIMES } from './nodes.mjs';
import { root, Workshop } from './workshop.mjs';

/** A suite that takes longer hangs; two cores need two minutes. */
const MAX_SUITE_MS = 480_000;

const shop = new Workshop();
const failed = [];
try {
  // One after another: the tests use all cores, and some measure how long something takes.
  for (const { node } of RUNTIMES) {
    const binary = await shop.node(node);
    const PATH = `${dirname(binary)}${delimiter}${process.env.PATH}`;
    // `npm test` has repeated everything as often as the tests say.
    const env = { ...process.env, PATH, OPENDELIVERY_FEWER_RUNS: '1' };
    const version = spawnSync('node', ['--version'], { env, encoding: 'utf8' }).stdout?.trim();
    const expected = spawnSync(binary, ['--version'], { encoding: 'utf8' }).stdout?.trim();
    // What a test starts must not fall back to another Node.
    if (!version || version !== expected) throw new Error(`node is ${version} there, not ${expected}`);
    if (version === process.version) {
      console.log(`node ${version}: npm test has run the tests`);
      continue;
    }
    const startedAt = Date.now();
    const args = [
      'node_modules/vitest/vitest.mjs',
      'run',
      '--reporter=dot',
      '--exclude=test/**/*.gate.test.ts',
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

function seconds(since) {
  return Math.round((Date.now() - since) / 1000);
}
