import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transform } from 'esbuild';
import { FOR_NODE } from '../../compile.js';
import { programOf, programsFolder } from '../../programs.js';
import { freePort } from '../../temporary.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));

export const SCRIPTS = ['ifood-order', '99food', 'pedidos10', 'opendelivery'] as const;
export type ScriptName = (typeof SCRIPTS)[number];

/** An application of `examples/` that can be driven, in one language. */
export interface Language {
  readonly name: 'TypeScript' | 'Python' | 'PHP';
  readonly program: 'node' | 'python3' | 'php';
  /** Its sources, below `examples/`. */
  readonly folder: string;
  readonly entry: string;
}

export const LANGUAGES: readonly Language[] = [
  { name: 'TypeScript', program: 'node', folder: 'ordering-app', entry: 'main.ts' },
  { name: 'Python', program: 'python3', folder: 'other-languages/python', entry: 'drive.py' },
  { name: 'PHP', program: 'php', folder: 'other-languages/php', entry: 'drive.php' },
];

/** What a careless programmer would have written in one place of a file. */
export interface Mistake {
  readonly file: string;
  readonly correct: string;
  readonly wrong: string;
}

export interface Item {
  readonly id: string;
  readonly title: string;
  readonly result: 'passed' | 'failed' | 'not seen';
  readonly evidence: readonly string[];
}

export interface Rehearsed {
  readonly code: number | null;
  readonly items: readonly Item[];
  /** What the rehearsal and the application have written, for the message of a failed test. */
  readonly output: string;
  readonly seconds: number;
}

/** A minute takes three seconds: a script of twelve minutes takes thirty-six, and two seconds of work cost less than one of its minutes. */
const SCALE = '20';

/** Rehearses an application, or a copy of it with mistakes. */
export async function rehearsed(
  script: ScriptName,
  language: Language,
  mistakes: readonly Mistake[] = [],
): Promise<Rehearsed> {
  const copy = join(programsFolder(), `faulty-${crypto.randomUUID()}`);
  const children: ChildProcess[] = [];
  try {
    const path = await programWith(language, mistakes, copy);
    return await rehearsedIn(children, script, language, path);
  } finally {
    for (const child of children) child.kill('SIGKILL');
    rmSync(copy, { recursive: true, force: true });
  }
}

/** @param path - of the application. */
async function rehearsedIn(
  children: ChildProcess[],
  script: ScriptName,
  language: Language,
  path: string,
): Promise<Rehearsed> {
  const port = await freePort();
  const startedAt = performance.now();
  const drive = `http://127.0.0.1:${port}/drive`;
  const words = ['certify', script, '--drive', drive, '--port', '0', '--scale', SCALE, '--report', 'json'];
  const certify = started(process.execPath, [programOf('src/cli/index.ts'), ...words], {});
  children.push(certify);
  let [report, output] = ['', ''];
  certify.stdout?.on('data', (chunk) => (report += chunk));
  certify.stderr?.on('data', (chunk) => {
    output += chunk;
    if (children.length > 1 || !/HUB_API_KEY=\S+\n/.test(output)) return;
    const variables = Object.fromEntries(
      [...output.matchAll(/(HUB_\w+)=(\S+)/g)].map(([, key, value]) => [key, value]),
    );
    const program = language.program === 'node' ? process.execPath : language.program;
    const application = started(program, [path], {
      ...variables,
      PORT: String(port),
      DRIVE: '1',
      HUB_SCALE: SCALE,
    });
    children.push(application);
    application.stderr?.on('data', (said) => (output += said));
  });
  const code = await new Promise<number | null>((resolve) => certify.on('close', resolve));
  const { items } = JSON.parse(report || '{"items":[]}');
  return { code, items, output, seconds: (performance.now() - startedAt) / 1000 };
}

function started(program: string, words: readonly string[], variables: Record<string, string | undefined>) {
  const env = { ...process.env, NODE_OPTIONS: '', PYTHONDONTWRITEBYTECODE: '1', ...variables };
  return spawn(program, [...words], { cwd: root, env });
}

/** The program to start. With mistakes, it is a copy; beside the others, so that it finds its packages. */
async function programWith(
  { folder, entry, program }: Language,
  mistakes: readonly Mistake[],
  copy: string,
): Promise<string> {
  const isCompiled = program === 'node';
  const sources = join(root, 'examples', folder);
  if (mistakes.length === 0)
    return isCompiled ? programOf(`examples/${folder}/${entry}`) : join(sources, entry);
  cpSync(isCompiled ? join(programsFolder(), 'examples', folder) : sources, copy, { recursive: true });
  for (const file of new Set(mistakes.map((mistake) => mistake.file))) {
    let source = readFileSync(join(sources, file), 'utf8');
    for (const { correct, wrong } of mistakes.filter((mistake) => mistake.file === file)) {
      if (source.split(correct).length !== 2)
        throw new Error(`${folder}/${file} does not have once: ${correct}`);
      source = source.replace(correct, () => wrong);
    }
    const path = join(copy, isCompiled ? file.replace(/\.ts$/, '.js') : file);
    if (!existsSync(path)) throw new Error(`${path} is not there`);
    const { target, format, tsconfigRaw } = FOR_NODE;
    writeFileSync(
      path,
      isCompiled ? (await transform(source, { loader: 'ts', target, format, tsconfigRaw })).code : source,
    );
  }
  return join(copy, isCompiled ? entry.replace(/\.ts$/, '.js') : entry);
}
