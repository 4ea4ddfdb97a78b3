import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../', import.meta.url));
const src = `${root}src/`;

/** The TypeScript files of a folder, relative to it. */
const filesOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.ts'));

interface Import {
  readonly from: string;
  readonly target: string;
  readonly onlyTypes: boolean;
}

/** Every import of every file: which file, what it imports, whether only types. */
function importsOf(folder: string, files: readonly string[]): Import[] {
  return files.flatMap((from) => {
    const text = readFileSync(folder + from, 'utf8');
    return [...text.matchAll(/^(?:import|export)\s+(type\s)?(?:[^;]*?from )?'([^']+)';/gm)].map(
      ([, type, target = '']) => ({
        from,
        target: target.startsWith('.') ? resolve(from, target) : target,
        onlyTypes: type !== undefined,
      }),
    );
  });
}

function resolve(from: string, target: string): string {
  return new URL(target, `file:///${from}`).pathname.slice(1).replace(/\.js$/, '.ts');
}

/** Everything that a file loads, directly or through other files. */
function reachedFrom(entry: string, all: readonly Import[]): Set<string> {
  const reached = new Set<string>();
  const follow = (from: string) => {
    if (reached.has(from)) return;
    reached.add(from);
    for (const each of all) if (each.from === from && !each.onlyTypes) follow(each.target);
  };
  follow(entry);
  return reached;
}

/** The sources of the console's page: they run in a browser, and the package contains them packed, in `page-file.ts`. */
const PAGE = 'testing/console/page/';

const sources = filesOf(src);
const files = sources.filter((path) => !path.startsWith(PAGE));
const page = sources.filter((path) => path.startsWith(PAGE));
const imports = importsOf(src, files);

/** From the lowest to the highest. A file may import from its own layer and the lower ones. */
const LAYERS: readonly RegExp[] = [
  /^(?:async|errors|hub|observe(?!\/opentelemetry\/)|schemas|time)\/|^options\/(?:checks|table)\.ts$/,
  /^reading\//,
  /^state\//,
  /^(?:http|quota)\//,
  /^auth\//,
  /^services\//,
  /^(?:inbox|merchant|menu|events|orders|progress)\//,
  /^engine\//,
  /^client\.ts$|^options\//,
  /^fleet\//,
  /^nestjs\//,
  /^observe\/opentelemetry\//,
  /^(?:exports|index|edge|bullmq|hosts|menu|nestjs|opentelemetry|redis|schemas|sql)\.ts$|^testing\//,
  /^cli\//,
];

/** The entries of the package, as in `tsup.config.ts`, and its command. */
const ENTRIES = [
  'index.ts',
  'edge.ts',
  'bullmq.ts',
  'hosts.ts',
  'menu.ts',
  'nestjs.ts',
  'opentelemetry.ts',
  'redis.ts',
  'schemas.ts',
  'sql.ts',
  'testing/index.ts',
  'cli/index.ts',
] as const;

/** Modules that may not import each other. */
const FEATURES: readonly RegExp[] = [/^orders\//, /^merchant\//, /^menu\//, /^events\//, /^progress\//];

const layerOf = (path: string) => LAYERS.findIndex((layer) => layer.test(path));
const featureOf = (path: string) => FEATURES.findIndex((feature) => feature.test(path));

describe('the source', () => {
  it('has a layer for every file', () => {
    expect(files.filter((path) => layerOf(path) === -1)).toEqual([]);
    expect(imports.length).toBeGreaterThan(100);
  });

  it('imports only downwards', () => {
    // Listeners get their store's client, so its type is part of theirs.
    const isClientOfListeners = ({ from, target, onlyTypes }: Import) =>
      onlyTypes && from.startsWith('engine/') && target === 'client.ts';
    // The options name those of the features, and the services take all of them.
    const isTypeOfOptions = ({ from, target, onlyTypes }: Import) =>
      onlyTypes && from.startsWith('services/') && target === 'options/client-options.ts';
    const upwards = imports.filter(
      (each) =>
        each.target.endsWith('.ts') &&
        layerOf(each.target) > layerOf(each.from) &&
        !isClientOfListeners(each) &&
        !isTypeOfOptions(each),
    );
    expect(upwards.map(({ from, target }) => `${from} imports ${target}`)).toEqual([]);
  });

  it('keeps the features apart', () => {
    const across = imports.filter(
      ({ from, target }) =>
        featureOf(from) !== -1 && featureOf(target) !== -1 && featureOf(from) !== featureOf(target),
    );
    expect(across.map(({ from, target }) => `${from} imports ${target}`)).toEqual([]);
  });

  it('does not import auth or a feature in http', () => {
    expect(
      imports.filter(
        ({ from, target }) => from.startsWith('http/') && /^(?:auth|merchant|events)\//.test(target),
      ),
    ).toEqual([]);
  });

  it('imports undici only as types, and loads it in http/undici.ts', () => {
    const ofUndici = imports.filter(({ target }) => target === 'undici');
    expect(ofUndici.every(({ onlyTypes }) => onlyTypes)).toBe(true);
    const loaders = files.filter((path) => readFileSync(src + path, 'utf8').includes("import('#undici')"));
    expect(loaders).toEqual(['http/undici.ts']);
  });

  it('uses files only in state/sqlite and cli, and imports no library of Redis or Postgres, because the application passes its client', () => {
    const withFiles = imports
      .filter(({ target }) => /^(?:node:)?fs(?:\/|$)/.test(target))
      .map(({ from }) => from);
    expect(withFiles.filter((from) => !/^(?:state\/sqlite\/|cli\/)/.test(from))).toEqual([]);
    const libraries = /redis|^pg$|postgres|pglite/;
    expect(imports.filter(({ target }) => libraries.test(target) && !/\.(?:ts|sql)$/.test(target))).toEqual(
      [],
    );
  });

  it.each([
    ['redis.ts', /^state\/redis\//],
    ['sql.ts', /^(?:state\/postgres|inbox)\//],
  ])('imports neither the transport nor the schemas in the entry %s', (entry, own) => {
    const others = [...reachedFrom(entry, imports)].filter((path) => path !== entry && !own.test(path));
    const isSmall =
      /^(?:errors\/[\w-]+|async\/promises|options\/checks|state\/(?:port|stored-text)|time\/[\w-]+)\.ts$|^node:crypto$|^sql\/postgres-state\.sql$/;
    expect(others.length).toBeGreaterThan(5);
    expect(others.filter((path) => !isSmall.test(path))).toEqual([]);
  });

  it('imports only the data of hub/hosts in the entry hosts.ts', () => {
    const others = [...reachedFrom('hosts.ts', imports)].filter((path) => path !== 'hosts.ts');
    expect(others.length).toBeGreaterThan(4);
    expect(others.filter((path) => !path.startsWith('hub/hosts/'))).toEqual([]);
  });

  it('loads zod at import only in the entries for schemas and testing, and in the command line', () => {
    const users = imports.filter(({ target, onlyTypes }) => target === 'zod' && !onlyTypes);
    const others = users.map(({ from }) => from).filter((from) => !from.startsWith('schemas/'));
    expect(others.sort()).toEqual([
      'cli/doctor/baseline.ts',
      'cli/mcp/doctor-tool.ts',
      'cli/mcp/guides.ts',
      'cli/mcp/mock-tools.ts',
      'cli/mcp/rehearsal-tools.ts',
      'cli/mock/input-files.ts',
      'testing/command-bodies.ts',
      'testing/control-description.ts',
      'testing/control-input.ts',
      'testing/control-output.ts',
      'testing/faults.ts',
      'testing/orders.ts',
      'testing/recording.ts',
    ]);
    expect(files).toEqual(expect.arrayContaining([...ENTRIES]));
    const entries = ENTRIES.filter((entry) => reachedFrom(entry, imports).has('zod'));
    expect(entries).toEqual(['schemas.ts', 'testing/index.ts', 'cli/index.ts']);
  });

  it('has files that are loaded later only in testing and cli', () => {
    const late = files.flatMap((from) =>
      [...readFileSync(src + from, 'utf8').matchAll(/import\('(\.[^']+)'\)/g)].map(
        ([, target = '']) => `${from} loads ${resolve(from, target)}`,
      ),
    );
    expect(late.sort()).toEqual([
      'cli/mcp.ts loads cli/mcp/serve.ts',
      'cli/mock.ts loads cli/mock/input-files.ts',
      'testing/create-mock-hub.ts loads testing/control.ts',
    ]);
  });

  it('imports bullmq only in fleet/bullmq, so that only the entry for BullMQ loads it', () => {
    const users = imports.filter(({ target }) => target === 'bullmq').map(({ from }) => from);
    expect(users.filter((from) => !from.startsWith('fleet/bullmq/'))).toEqual([]);
    expect(ENTRIES.filter((entry) => reachedFrom(entry, imports).has('bullmq'))).toEqual(['bullmq.ts']);
  });

  it('imports @nestjs/common only in nestjs, and of Nest it loads only the core of the application', () => {
    const ofNest = imports.filter(({ target }) => target.startsWith('@nestjs/'));
    expect(ofNest.length).toBeGreaterThan(1);
    expect(
      ofNest.filter(({ from, target }) => !from.startsWith('nestjs/') || target !== '@nestjs/common'),
    ).toEqual([]);
    expect(ENTRIES.filter((entry) => reachedFrom(entry, imports).has('@nestjs/common'))).toEqual([
      'nestjs.ts',
    ]);
    const loaders = files.filter((path) => readFileSync(src + path, 'utf8').includes("import('@nestjs/"));
    expect(loaders).toEqual(['nestjs/module.ts']);
  });

  it('imports of OpenTelemetry only its API, and only the entry for OpenTelemetry loads it', () => {
    const ofOpenTelemetry = imports.filter(({ target }) => target.startsWith('@opentelemetry/'));
    expect(new Set(ofOpenTelemetry.map(({ target }) => target))).toEqual(new Set(['@opentelemetry/api']));
    expect(ENTRIES.filter((entry) => reachedFrom(entry, imports).has('@opentelemetry/api'))).toEqual([
      'opentelemetry.ts',
    ]);
  });

  it('loads the MCP SDK only in cli/mcp/sdk.ts, when the command mcp runs', () => {
    const atImport = imports.filter(
      ({ target, onlyTypes }) => target.startsWith('@modelcontextprotocol/') && !onlyTypes,
    );
    expect(atImport).toEqual([]);
    const loaders = files.filter((path) =>
      readFileSync(src + path, 'utf8').includes("import('@modelcontextprotocol/"),
    );
    expect(loaders).toEqual(['cli/mcp/sdk.ts']);
    const ofCommand = [...reachedFrom('cli/index.ts', imports)].filter((path) => path.startsWith('cli/mcp'));
    expect(ofCommand).toEqual(['cli/mcp.ts']);
  });

  it('creates no functions from strings, which some platforms forbid', () => {
    const creators = files.filter((path) => /\bFunction\(/.test(readFileSync(src + path, 'utf8')));
    expect(creators).toEqual([]);
  });

  it('imports nothing in schemas/event-types.ts', () => {
    expect(files).toContain('schemas/event-types.ts');
    expect(imports.filter(({ from }) => from === 'schemas/event-types.ts')).toEqual([]);
  });

  it('reads time only in time/clock.ts and one exception', () => {
    const readers = files.filter((path) =>
      /Date\.now\(|performance\.now|[^.\w]setTimeout\(|setInterval\(/.test(readFileSync(src + path, 'utf8')),
    );
    // The manual clock measures real time to give up on work that hangs.
    expect(readers.sort()).toEqual(['testing/manual-clock.ts', 'time/clock.ts']);
  });

  it('reads paths and limits of endpoints from the table of the hub, never from that of the spec', () => {
    // What a profile can change. `options/profile.ts` compares with it, the doctor says what differs.
    const isAllowed = (path: string) =>
      /^(?:hub\/endpoints|hub\/host-endpoints|options\/profile)\.ts$|^cli\/(?:doctor\/|token\.ts$)/.test(
        path,
      );
    const readers = files.filter(
      (path) =>
        !isAllowed(path) &&
        /ENDPOINTS(?:\[\w+(?:\.\w+)?\]|\.\w+)\.(?:path|limit|windowMs)|(?:path|limit|windowMs)[^;\n]*\} = ENDPOINTS/.test(
          readFileSync(src + path, 'utf8'),
        ),
    );
    expect(readers).toEqual([]);
  });

  it('has no side effects at import', () => {
    const packageJson = JSON.parse(readFileSync(`${src}../package.json`, 'utf8')) as { sideEffects: boolean };
    expect(packageJson.sideEffects).toBe(false);
    expect(imports.filter(({ target }) => target === 'msw').every(({ onlyTypes }) => onlyTypes)).toBe(true);
  });

  it('never ends the process, not even in cli, except at a second signal', () => {
    const enders = files.filter((path) =>
      /process\s*\??\.\s*(?:exit|abort|kill|reallyExit)\b(?!Code)|process\[|\bexit\(|from 'node:process'/.test(
        // Signal 0 ends no process: it checks whether one exists.
        readFileSync(src + path, 'utf8').replaceAll('process.kill(pid, 0)', ''),
      ),
    );
    expect(enders).toEqual(['engine/close-on-signal.ts']);
  });

  const isInPortuguese = (path: string) => path.startsWith('cli/certify/');

  it('has no TODO', () => {
    const open = files
      // The page of the console, packed as base64: its sources are read below.
      .filter((path) => path !== 'testing/console/page-file.ts' && !isInPortuguese(path))
      .filter((path) => /TODO|FIXME|XXX|not implemented/i.test(readFileSync(src + path, 'utf8')));
    expect(open).toEqual([]);
    // Not in any case: Portuguese has such words.
    const openInPage = [...page, ...files.filter(isInPortuguese)].filter((path) =>
      /TODO|FIXME|XXX/.test(readFileSync(src + path, 'utf8')),
    );
    expect(openInPage).toEqual([]);
  });
});

describe("the console's page", () => {
  const ofPage = importsOf(src, page);

  it('is imported by nothing else, so that the package has it only packed', () => {
    expect(page).toContain(`${PAGE}main.ts`);
    expect(imports.filter(({ target }) => target.startsWith(PAGE))).toEqual([]);
  });

  it('imports from the rest only types, and names that need nothing of Node.js', () => {
    const outside = ofPage.filter(({ target, onlyTypes }) => !onlyTypes && !target.startsWith(PAGE));
    const reached = outside.flatMap(({ target }) => [...reachedFrom(target, imports)]);
    expect([...new Set(reached)].sort()).toEqual([
      'hub/endpoints.ts',
      'schemas/event-types.ts',
      'testing/fault.ts',
    ]);
  });
});

describe('the tests', () => {
  const all = ['test', 'examples'].flatMap((folder) =>
    filesOf(`${root}${folder}/`).map((path) => `${folder}/${path}`),
  );
  const links = importsOf(root, all);
  const startsProcesses = (path: string) => reachedFrom(path, links).has('node:child_process');

  it('start processes only in files named *.process.test.ts or *.gate.test.ts, which have their own project', () => {
    const tests = all.filter((path) => path.endsWith('.test.ts'));
    const starting = tests.filter(startsProcesses);
    expect(starting.length).toBeGreaterThan(10);
    // The long tests have a project that may start processes.
    const allowed = /\.(?:process|gate)\.test\.ts$|^test\/long\//;
    expect(starting.filter((path) => !allowed.test(path))).toEqual([]);
  });
});
