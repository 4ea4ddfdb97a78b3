/** The page of the console is one file of the package, which both of its halves load. */
import { writeFile } from 'node:fs/promises';

const FILE = './console-page.cjs';

/** For esbuild: leaves the page out of the bundle, which imports the file instead. */
export const consolePageApart = {
  name: 'console page',
  setup({ onResolve }) {
    onResolve({ filter: /\/page-file\.js$/ }, () => ({ path: FILE, external: true }));
  },
};

/** For rollup: the file is beside the chunks, and not beside their sources. */
export const consolePageBeside = {
  name: 'console page',
  resolveId: (id) => (id === FILE ? { id, external: true } : null),
};

/** Writes the file. `source` is `src/testing/console/page-file.ts`. */
export async function writeConsolePage(dir, source) {
  const [, page] = /'([^']+)'/.exec(source) ?? [];
  await writeFile(`${dir}/${FILE}`, `exports.PAGE = '${page}';\n`);
}
