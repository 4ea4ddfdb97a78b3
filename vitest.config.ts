import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin, type TestProjectInlineConfiguration } from 'vitest/config';
import { compiledSources } from './test/compiled-sources.js';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

const PROCESSES = 'test/**/*.process.test.ts';
/** What replaces the global fetch or dispatcher, or counts promises: each file gets a process without any history. */
const ISOLATED = 'test/**/*.isolated.test.ts';
/** Of these, what replaces modules: Node has loaded them itself where the sources are compiled. */
const MOCKED = ['http/undici-left-out', 'nestjs/other-core', 'state/file/drivers', 'testing/still-hint'].map(
  (name) => `test/${name}.isolated.test.ts`,
);
/** What takes many seconds to show something that rarely changes: `.ci/run` runs it, `npm test` does not. */
const GATE = 'test/**/*.gate.test.ts';
const LONG = 'test/long/**/*.test.ts';
/** The packages that `npm run bench` compares with. */
const PEERS = 'test/bench/node_modules/**';
const LEASES = 'test/long/leases-*.test.ts';

/** As the build does. Only tests that need the sources themselves import them with Vite. */
const sqlAsText: Plugin = {
  name: 'sql as text',
  transform: (text, id) => (id.endsWith('.sql') ? `export default ${JSON.stringify(text)};` : undefined),
};

const project = (
  name: string,
  test: NonNullable<TestProjectInlineConfiguration['test']>,
): TestProjectInlineConfiguration => ({ extends: true, test: { name, ...test } });

/** Who watches files or measures coverage needs the sources themselves. */
const needsSources = !process.argv.includes('run') || process.argv.includes('--coverage');
const plugins = needsSources ? [] : [compiledSources()];
const compiled = (one: TestProjectInlineConfiguration): TestProjectInlineConfiguration => ({
  ...one,
  plugins,
});

/** What starts processes finds their programs compiled. */
const programs = { globalSetup: here('./test/programs.setup.ts') };

// The files of a worker share one module graph: most of them import the same two hundred files.
const IN_PROCESS = {
  include: ['test/**/*.test.ts'],
  exclude: [PROCESSES, ISOLATED, GATE, LONG, PEERS],
  isolate: false,
};

const SHORT = [
  compiled(project('in-process', IN_PROCESS)),
  compiled(
    project('processes', {
      isolate: false,
      include: process.env.OPENDELIVERY_REQUIRE_ALL ? [PROCESSES, GATE] : [PROCESSES],
      ...programs,
    }),
  ),
  compiled(project('isolated', { include: [ISOLATED], exclude: MOCKED })),
  project('mocked', { include: MOCKED }),
];

const LENGTHY = [
  // Once more, with all their repetitions.
  compiled(project('repeated', { ...IN_PROCESS, env: { OPENDELIVERY_ALL_RUNS: '1' } })),
  // Take-over is measured in real time, so nothing runs beside it.
  project('leases', { include: [LEASES], sequence: { groupOrder: 1 }, ...programs }),
  project('long', { include: [LONG], exclude: [LEASES], sequence: { groupOrder: 2 }, ...programs }),
];

/** `npm test` runs the short versions; `npm run test:long` (mode `long`) the long ones, with figures. */
export default defineConfig(({ mode }) => ({
  plugins: [sqlAsText],
  resolve: {
    alias: [
      { find: 'opendelivery-client/bullmq', replacement: here('./src/bullmq.ts') },
      { find: 'opendelivery-client/hosts', replacement: here('./src/hosts.ts') },
      { find: 'opendelivery-client/menu', replacement: here('./src/menu.ts') },
      { find: 'opendelivery-client/nestjs', replacement: here('./src/nestjs.ts') },
      { find: 'opendelivery-client/opentelemetry', replacement: here('./src/opentelemetry.ts') },
      { find: 'opendelivery-client/redis', replacement: here('./src/redis.ts') },
      { find: 'opendelivery-client/schemas', replacement: here('./src/schemas.ts') },
      { find: 'opendelivery-client/sql', replacement: here('./src/sql.ts') },
      { find: 'opendelivery-client/testing', replacement: here('./src/testing/index.ts') },
      { find: 'opendelivery-client', replacement: here('./src/index.ts') },
    ],
  },
  test: {
    // `npm test` leaves them out; the gate does not, and neither does who runs one file.
    tags: [{ name: 'slow', description: 'a third of a second or more for what another test nearly shows' }],
    projects: mode === 'long' ? LENGTHY : SHORT,
    // One more than there are cores: tests that start processes wait for them most of the time.
    maxWorkers: availableParallelism() + 1,
    // The tests of a file that may run beside each other wait for virtual minutes of other processes.
    maxConcurrency: 8,
    // Room for short-lived objects: the garbage collector takes an eighth of the time less.
    execArgv: ['--max-semi-space-size=32'],
    testTimeout: 120_000,
    // A browser or a database that starts beside two other files may take as long as a test.
    hookTimeout: 120_000,
    // A test that has checked nothing fails; one that only must not throw says `expect.assertions(0)`.
    // A loaded machine takes longer than the second that `expect.poll` waits by default.
    expect: { requireAssertions: true, poll: { timeout: 20_000 } },
    coverage: { include: ['src/**'], exclude: ['src/testing/console/page/**'] },
  },
}));
