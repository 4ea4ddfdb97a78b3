/** The CommonJS half of the package. tsup either repeats shared code in each entry or lowers the syntax of it all. */
import { rollup } from 'rollup';
import { consolePageBeside } from './console-page.mjs';

/**
 * Converts ES modules with all their shared parts.
 *
 * @param input - name of the entry: its file.
 * @param dir - where the output goes.
 */
export async function toCommonJs({ input, dir }) {
  const bundle = await rollup({
    input,
    plugins: [consolePageBeside],
    external: (id) => !/^(?:\.{0,2}\/|[A-Z]:)/i.test(id),
    onwarn: (warning) => {
      throw new Error(warning.message);
    },
  });
  // Which file that is, only the user knows: the profile of `--profile` may be an ES module.
  const ofUser = {
    name: 'of-user',
    // Rollup's own line is for browsers too.
    resolveImportMeta: (property) =>
      property === 'url' ? "require('node:url').pathToFileURL(__filename).href" : null,
    renderDynamicImport: ({ targetModuleId }) =>
      targetModuleId === null ? { left: 'import(', right: ')' } : null,
  };
  await bundle.write({
    dir,
    format: 'cjs',
    entryFileNames: '[name].cjs',
    chunkFileNames: 'chunk-[hash].cjs',
    exports: 'named',
    interop: 'auto',
    minifyInternalExports: false,
    // Required at its first use, not imported: jest has no `import()` in CommonJS.
    dynamicImportInCjs: false,
    plugins: [ofUser],
  });
  await bundle.close();
}
