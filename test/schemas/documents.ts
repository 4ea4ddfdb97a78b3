import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** The name of a document, and its file. */
export type DocumentFile = readonly [name: string, file: string];

/**
 * We may not ship documents that others published. They are read from a folder
 * beside this repository, or from the one that the variable names. Without that folder, only our own
 * documents are read; they have every kind of deviation that the others have.
 */
const samples = process.env.OPENDELIVERY_SAMPLES ?? here('../../../shared/samples');

export const published = ['merchants', 'orders']
  .filter((folder) => existsSync(`${samples}/${folder}`))
  .flatMap((folder) => readdirSync(`${samples}/${folder}`).map((file) => `${folder}/${file}`))
  .map((name): DocumentFile => [name, `${samples}/${name}`]);

export const own = readdirSync(here('../fixtures'))
  .filter((file) => file.startsWith('own-'))
  .map((file): DocumentFile => [file.replace(/\.json$/, ''), here(`../fixtures/${file}`)]);

export const isMerchant = (name: string) => name.includes('merchant');

export const parsed = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));

/** Every document of one kind, published or our own. */
export const documentsOf = (kind: 'merchant' | 'order'): unknown[] =>
  [...published, ...own]
    .filter(([name]) => isMerchant(name) === (kind === 'merchant'))
    .map(([, file]) => parsed(file));
