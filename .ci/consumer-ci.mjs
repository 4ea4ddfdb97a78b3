/** examples/consumer-ci with the packed package: it passes as it stands, and fails when its app is wrong. */
import { cp, readFile, symlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { root, run } from './workshop.mjs';

const EXAMPLE = join(root, 'examples/consumer-ci');
const ALL = ['vitest', 'jest', 'node', 'undici'];

const RUNS = [
  // vite, which vitest stands on, needs Node 20.19.
  { node: '20.18.1', ways: ['jest', 'node', 'undici'] },
  { node: '20', ways: ['vitest', 'node'] },
  { node: '22', ways: ['jest', 'undici'] },
  { node: '24', ways: ['vitest', 'node'] },
  { node: '26', ways: ALL },
];

/** A test that has not been seen to fail proves nothing. */
const MISTAKES = [
  {
    mistake: 'the app does not wait for its table',
    file: 'app/orders.cjs',
    right: 'await table.save(orderId, order)',
    wrong: 'table.save(orderId, order).catch(() => {})',
    ways: ALL,
  },
  {
    mistake: 'the app keeps a failure to itself',
    file: 'app/orders.cjs',
    right: 'await hub.orders.confirm(orderId)',
    wrong: 'await hub.orders.confirm(orderId).catch(() => {})',
    ways: ['vitest', 'node'],
  },
  {
    mistake: 'the app does not listen to cancellations',
    file: 'app/orders.cjs',
    right: "poller.on('CANCELLED'",
    wrong: "poller.on('CONCLUDED'",
    ways: ['jest', 'undici'],
  },
  {
    mistake: 'the clock is not held while the table writes',
    file: 'test/table.cjs',
    right: 'clock.hold()',
    wrong: 'await new Promise((resolve) => setTimeout(resolve, 200, () => {}))',
    // An hour is long enough for any table.
    ways: ['vitest', 'undici'],
  },
];

/** The installation, then the runs, which wait for it. */
export function consumerCi(shop) {
  const installed = shop.folder('consumer-ci');
  let installing;
  const install = () => {
    installing ??= copy(installed).then(() => shop.install(installed));
    return installing;
  };
  let copies = 0;
  /** Another copy, upon the same packages. */
  const another = async () => {
    await install();
    copies += 1;
    const folder = shop.folder(`consumer-ci-${copies}`);
    await copy(folder);
    await symlink(join(installed, 'node_modules'), join(folder, 'node_modules'));
    return folder;
  };
  return [
    install,
    ...RUNS.map(({ node, ways }) => async () => {
      const [binary, cwd] = await Promise.all([shop.node(node), another()]);
      for (const way of ways) await run('npm', ['run', `test:${way}`], { cwd, node: binary });
      console.log(`examples/consumer-ci on node ${node}: ${ways.join(', ')} pass`);
    }),
    async () => withFakedTimers(await another()),
    ...MISTAKES.map((mistake) => async () => withMistake(await another(), mistake)),
  ];
}

const copy = (folder) =>
  cp(EXAMPLE, folder, { recursive: true, filter: (path) => basename(path) !== 'node_modules' });

/** jest's fake timers, put in place before anything is loaded, as a team may have it in its configuration. */
async function withFakedTimers(cwd) {
  const { jest } = JSON.parse(await readFile(join(cwd, 'package.json'), 'utf8'));
  const config = JSON.stringify({ ...jest, rootDir: cwd, fakeTimers: { enableGlobally: true } });
  await run('npm', ['run', 'test:jest', '--', '--config', config], { cwd });
  console.log('examples/consumer-ci: jest passes with all timers faked');
}

async function withMistake(cwd, { mistake, file, right, wrong, ways }) {
  const text = await readFile(join(cwd, file), 'utf8');
  if (!text.includes(right)) throw new Error(`examples/consumer-ci/${file} has no '${right}' any more`);
  await writeFile(join(cwd, file), text.replace(right, wrong));
  for (const way of ways) {
    const passes = await run('npm', ['run', `test:${way}`], { cwd }).then(
      () => true,
      () => false,
    );
    if (passes) throw new Error(`examples/consumer-ci: test:${way} passes though ${mistake}`);
  }
  console.log(`examples/consumer-ci: ${ways.join(', ')} fail when ${mistake}`);
}
