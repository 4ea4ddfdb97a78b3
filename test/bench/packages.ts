import { existsSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

/** Everything is started in the folder of the repository; this file also runs as a part of a compiled one. */
export const root = `${process.cwd()}/`;

/** The built files of this package. The benches use them as an application does: through the exports only. */
export const dist = (path: string) => pathToFileURL(`${root}dist/${path}`).href;

export type Hub = typeof import('opendelivery-client');
export type SqlEntry = typeof import('opendelivery-client/sql');

// By address: under tsx, the name of the package leads to its sources.
export const importHub = () => import(dist('index.js')) as Promise<Hub>;
export const importSql = () => import(dist('sql.js')) as Promise<SqlEntry>;

/**
 * Imports a package that the benches compare with. It is a dependency of
 * `test/bench/package.json` or of this package; its types may be missing, so
 * the caller declares what it uses.
 */
export const importPeer = (name: string): Promise<unknown> => import(name);

/** Whether a peer is there: in the folder of the benches, or among the packages of the repository. */
export function isInstalled(name: string): boolean {
  return ['test/bench/', ''].some((folder) =>
    existsSync(`${root}${folder}node_modules/${name}/package.json`),
  );
}

export const HOW_TO_INSTALL = 'npm ci --prefix test/bench';
