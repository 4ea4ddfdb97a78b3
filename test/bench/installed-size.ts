import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** What installing a package brings. */
export interface InstalledSize {
  /** The package and all its dependencies. */
  readonly packages: number;
  readonly bytes: number;
}

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** Follows the dependencies of an installed package as Node resolves them. `ownBytes` replaces the size of its own folder. */
export function installedSize(folder: string, ownBytes?: number): InstalledSize {
  const folders = new Set<string>();
  const follow = (each: string) => {
    if (folders.has(each)) return;
    folders.add(each);
    const { dependencies = {} } = JSON.parse(readFileSync(join(each, 'package.json'), 'utf8')) as Manifest;
    for (const name of Object.keys(dependencies)) {
      const found = resolved(each, name);
      if (found) follow(found);
    }
  };
  follow(folder);
  let bytes = 0;
  for (const each of folders) bytes += each === folder ? (ownBytes ?? bytesIn(each)) : bytesIn(each);
  return { packages: folders.size, bytes };
}

function resolved(from: string, name: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const candidate = join(folder, 'node_modules', name);
    if (existsSync(join(candidate, 'package.json'))) return candidate;
    if (folder === dirname(folder)) return undefined; // an optional dependency of another system
  }
}

/** Without the packages in its own `node_modules`: they count on their own. */
function bytesIn(folder: string): number {
  let bytes = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && entry.name !== 'node_modules') bytes += bytesIn(path);
    else if (entry.isFile()) bytes += lstatSync(path).size;
  }
  return bytes;
}
