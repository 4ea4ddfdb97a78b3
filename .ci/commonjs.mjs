/** The CommonJS half of the package. tsup either repeats shared code in each entry or lowers the syntax of it all. */
import { readFile } from 'node:fs/promises';
import { transform } from 'esbuild';
import { rollup } from 'rollup';
import { consolePageBeside } from './console-page.mjs';

/**
 * Converts ES modules with all their shared parts, and their source maps.
 *
 * @param input - name of the entry: its file.
 * @param dir - where the output goes.
 * @param minify - esbuild's options for each file.
 */
export async function toCommonJs({ input, dir, minify }) {
  const mapped = {
    name: 'mapped',
    load: async (id) => ({
      code: await readFile(id, 'utf8'),
      map: JSON.parse(await readFile(`${id}.map`, 'utf8')),
    }),
  };
  const bundle = await rollup({
    input,
    plugins: [consolePageBeside, mapped],
    external: (id) => !/^(?:\.{0,2}\/|[A-Z]:)/i.test(id),
    onwarn: (warning) => {
      throw new Error(warning.message);
    },
  });
  // Which file that is, only the user knows: the profile of `--profile` may be an ES module.
  const ofUser = {
    name: 'of-user',
    renderDynamicImport: ({ targetModuleId }) =>
      targetModuleId === null ? { left: 'import(', right: ')' } : null,
  };
  const smaller = {
    name: 'smaller',
    renderChunk: (code) =>
      transform(code, { ...minify, platform: 'node', format: 'cjs', sourcemap: 'external' }),
  };
  await bundle.write({
    dir,
    format: 'cjs',
    // Without a comment in the code, because the package leaves the maps out.
    sourcemap: 'hidden',
    entryFileNames: '[name].cjs',
    chunkFileNames: 'chunk-[hash].cjs',
    exports: 'named',
    interop: 'auto',
    minifyInternalExports: true,
    // Required at its first use, not imported: jest has no `import()` in CommonJS.
    dynamicImportInCjs: false,
    plugins: [ofUser, smaller],
  });
  await bundle.close();
}
