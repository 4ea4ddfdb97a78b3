/** The smoke test of the packed package on every platform that it promises to run on, as it is and bundled. */
import assert from 'node:assert/strict';
import { cp, mkdtemp } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { BANNER, bundle, checkEdgeBundle, EDGE } from './bundles.mjs';
import { RUNTIMES } from './nodes.mjs';
import { serveWorker } from './workerd.mjs';
import { manifest, root, run } from './workshop.mjs';

const { platform, arch } = process;

const BUN = `@oven/bun-${platform}-${arch === 'arm64' ? 'aarch64' : arch}@1`;
const DENO = `@deno/${platform}-${arch}${platform === 'linux' ? '-glibc' : ''}@2`;
export const WORKERD = `@cloudflare/workerd-${platform}-${arch === 'x64' ? '64' : arch}@1`;

const PROGRAM = 'smoke-main.mjs';

/** How Node.js runs it too. Two of the bundles contain everything. */
const BUNDLES = [
  { name: 'smoke-cjs.cjs', options: { format: 'cjs', platform: 'node' } },
  { name: 'smoke-esm.mjs', options: { format: 'esm', platform: 'node', banner: { js: BANNER } } },
  { name: 'smoke-external.mjs', options: { format: 'esm', platform: 'node', external: [manifest.name] } },
];

const SCRIPTS = [PROGRAM, ...BUNDLES.map(({ name }) => name)].map((script) => [script]);

/** What a platform lacks is a clear error. */
const NONE = { files: 'none', dispatcher: 'none' };
const NO_DISPATCHER = { files: 'none', dispatcher: 'ConfigurationError' };
const NO_FILES = { files: 'ConfigurationError', dispatcher: 'ConfigurationError' };

/** The jobs: one for each platform. */
export function platforms(shop) {
  let made;
  const project = () => {
    made ??= prepare(shop);
    return made;
  };
  const smokeOf =
    (name, program, problems, ...scripts) =>
    async () => {
      const [cwd, binary] = await Promise.all([project(), program()]);
      for (const [script, ...args] of scripts) {
        await passes(cwd, `${name}, ${script}`, problems, (hub) =>
          runProgram(cwd, binary, [...args, script], hub),
        );
      }
    };
  return [
    () => checkEdgeBundle(shop),
    ...RUNTIMES.map(({ node }) => smokeOf(`node ${node}`, () => shop.node(node), NONE, ...SCRIPTS)),
    smokeOf('bun', () => shop.program(BUN, 'bin/bun'), NO_DISPATCHER, [PROGRAM, 'run']),
    smokeOf('deno', () => shop.program(DENO, 'deno'), NO_DISPATCHER, [PROGRAM, 'run', '--allow-all']),
    async () => {
      const [cwd, binary] = await Promise.all([project(), shop.program(WORKERD, 'bin/workerd')]);
      const { outfile } = await bundle(cwd, 'smoke-worker.mjs', 'worker.mjs', EDGE);
      await passes(cwd, 'workerd', NO_FILES, (hub) => runWorker(binary, outfile, hub));
    },
  ];
}

/** A project with the scripts and their bundles. */
async function prepare(shop) {
  // Node 20 has no SQLite of its own.
  const folder = await shop.project('platforms', `libsql@${manifest.peerDependencies.libsql}`);
  await cp(join(root, '.ci/consumer'), folder, { recursive: true });
  for (const { name, options } of BUNDLES) await bundle(folder, PROGRAM, name, options);
  return folder;
}

/** Runs the smoke test against a mock hub of this process, and compares what both have seen. */
async function passes(project, name, problems, smoke) {
  const require = createRequire(join(project, 'package.json'));
  const { createMockHub } = require(`${manifest.name}/testing`);
  const mock = createMockHub();
  const { url, close } = await mock.listen();
  try {
    mock.faults.next('merchant', 503);
    mock.createOrder();
    const result = await smoke({ baseUrl: url, ...mock.credentials });
    const handled = mock.emitted().map(({ eventId }) => eventId);
    assert.deepEqual(
      { ...result, categories: result.categories > 0 },
      {
        ...problems,
        tokenIsValid: true,
        store: 'Forno da Vila',
        categories: true,
        missing: 'NotFoundError',
        retries: ['merchant'],
        once: { handled: 1, acknowledged: 1 },
        handled,
        errors: [],
        timedOut: false,
      },
      name,
    );
    assert.deepEqual(
      mock.emitted().map(({ eventType }) => eventType),
      ['CREATED', 'CONFIRMED'],
      name,
    );
    assert.deepEqual([mock.pending(), mock.violations()], [[], []], name);
  } finally {
    await close();
  }
  console.log(`the smoke test passes: ${name}`);
}

async function runProgram(cwd, binary, args, hub) {
  const directory = await mkdtemp(join(cwd, 'state-'));
  const env = { SMOKE: JSON.stringify({ hub, directory }) };
  return JSON.parse(await run(binary, args, { cwd, env }));
}

async function runWorker(binary, file, hub) {
  const worker = await serveWorker(binary, file);
  try {
    const response = await fetch(worker.url, { method: 'POST', body: JSON.stringify(hub) });
    const text = await response.text();
    if (!response.ok) throw new Error(`the Worker failed\n${text}\n${worker.printed()}`);
    return JSON.parse(text);
  } finally {
    await worker.close();
  }
}
