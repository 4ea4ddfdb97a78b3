/**
 * Types, promises, format and lint; with `--tests` the tests beside them, on the other core. What the checks say
 * comes last, so that nobody has to look for it above the tests.
 *
 * Other arguments are passed on to vitest.
 */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
// TypeScript 7 needs a third of the time of 5.9, whose interface tsup and typedoc need.
const tsc = ['node_modules/typescript-7/bin/tsc', '--noEmit'];

/** Each begins when the one before has ended: the promises are asked of what the compiler has cached. */
const CHECKS = [
  ['types', [...tsc]],
  ['types of examples/storefront', [...tsc, '-p', 'examples/storefront']],
  ['types of the console', [...tsc, '-p', 'src/testing/console/page']],
  ['promises that nobody waits for', ['.ci/floating-promises.mjs']],
  ['format and lint', ['node_modules/@biomejs/biome/bin/biome', 'check', '.']],
];

const [first, ...others] = process.argv.slice(2);
const withTests = first === '--tests';
const vitest = [
  'node_modules/vitest/vitest.mjs',
  'run',
  ...(others.length > 0 ? others : ['--tags-filter=!slow']),
];

const [tests, findings] = await Promise.all([withTests ? node(vitest, 'inherit') : { status: 0 }, check()]);
for (const { name, output } of findings) console.error(`\n== ${name}\n${output.trim()}`);
console.log(findings.length === 0 ? 'types, format and lint: no findings' : '\nthe checks have findings');
process.exitCode = tests.status || (findings.length > 0 ? 1 : 0);

async function check() {
  const findings = [];
  for (const [name, args] of CHECKS) {
    const { status, output } = await node(args, 'pipe');
    if (status !== 0) findings.push({ name, output });
  }
  return findings;
}

function node(args, stdio) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd: root, stdio: ['inherit', stdio, stdio] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text) => {
        output += text;
      });
    }
    child.once('error', reject);
    child.once('close', (status) => resolve({ status: status ?? 1, output }));
  });
}
