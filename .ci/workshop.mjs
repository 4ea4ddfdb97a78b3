/** Commands, the packed package, projects and Nodes, all in one folder that is gone in the end. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));
export const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** A command that takes longer hangs. */
const MAX_COMMAND_MS = 300_000;

const INSTALL = [
  'install',
  '--no-audit',
  '--no-fund',
  '--no-package-lock',
  '--ignore-scripts',
  '--prefer-offline',
  '--force',
];

/** Runs a command to its end and gives what it printed. @throws {Error} with the head of it, when it fails. */
export function run(command, args, { cwd = root, node, env: more } = {}) {
  const path = node && { PATH: `${dirname(node)}${delimiter}${process.env.PATH}` };
  const env = { ...process.env, ...path, ...more };
  return new Promise((resolve, reject) => {
    const options = { cwd, env, encoding: 'utf8', timeout: MAX_COMMAND_MS, maxBuffer: 2 ** 26 };
    execFile(command, args, options, (error, stdout, stderr) => {
      if (!error) resolve(stdout);
      else reject(new Error(`${[command, ...args].join(' ')} failed\n${headOf(stdout)}${headOf(stderr)}`));
    });
  });
}

/** Enough to see what is wrong. */
const headOf = (text) => text.split('\n').slice(0, 25).join('\n');

/** Runs jobs beside each other, as many as there are cores, all of them to their end; gives what failed. */
export async function together(jobs) {
  const waiting = [...jobs];
  const failures = new Set(); // several jobs may fail of one and the same
  const work = async () => {
    for (let job = waiting.shift(); job; job = waiting.shift()) {
      await job().catch((error) => failures.add(error));
    }
  };
  await Promise.all(Array.from({ length: Math.max(2, availableParallelism()) }, work));
  return [...failures];
}

export class Workshop {
  #folder = mkdtempSync(join(tmpdir(), `${manifest.name}-`));
  #made = new Map();
  #tarball;

  static async open() {
    const shop = new Workshop();
    try {
      // Its own prepack builds it, as it does for whoever publishes it.
      shop.#tarball = await shop.#pack(root, 'package', '--foreground-scripts=false');
      return shop;
    } catch (error) {
      shop.close();
      throw error;
    }
  }

  get tarball() {
    return this.#tarball;
  }

  folder(name) {
    return join(this.#folder, name);
  }

  /** An empty project with the packed package and nothing but what is named; the same one for the same name. */
  project(name, ...others) {
    return this.#once(name, async () => {
      const folder = this.folder(name);
      await mkdir(folder);
      await writeFile(join(folder, 'package.json'), JSON.stringify({ name, private: true }));
      await this.install(folder, ...others);
      return folder;
    });
  }

  /** Puts the packed package, and what else is named, into a project that is there. */
  async install(folder, ...others) {
    await run('npm', [...INSTALL, this.#tarball, ...others], { cwd: folder });
  }

  /** The binary of a version of Node, which the registry has as a package. */
  node(version) {
    return this.program(`node-${process.platform}-${process.arch}@${version}`, 'bin/node');
  }

  /** A file of a package that the registry has; nothing of it is installed. */
  program(spec, path) {
    return this.#once(spec, async () => {
      const name = spec.replaceAll(/[^\w.-]+/g, '-');
      const archive = await this.#pack(spec, name, '--ignore-scripts');
      await run('tar', ['xzf', archive], { cwd: this.folder(name) });
      return join(this.folder(name), 'package', path);
    });
  }

  close() {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #pack(spec, name, ...options) {
    const folder = this.folder(name);
    await mkdir(folder);
    const packed = await run('npm', ['pack', spec, '--json', '--prefer-offline', ...options], {
      cwd: folder,
    });
    return join(folder, JSON.parse(packed)[0].filename);
  }

  #once(key, make) {
    if (!this.#made.has(key)) this.#made.set(key, make());
    return this.#made.get(key);
  }
}

/** Names of all packages that are installed in a project. */
export function packagesIn(folder) {
  const below = (path) =>
    readdirSync(join(folder, 'node_modules', path)).filter((name) => !name.startsWith('.'));
  return below('').flatMap((name) =>
    name.startsWith('@') ? below(name).map((inner) => `${name}/${inner}`) : [name],
  );
}
