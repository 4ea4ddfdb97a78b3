/** The CommonJS half of the package. tsup either repeats shared code in each entry or lowers the syntax of it all. */
import { transform } from 'esbuild';
import { rollup } from 'rollup';

/**
 * Converts ES modules with all their shared parts.
 *
 * @param input - name of the entry: its file.
 * @param dir - where the output goes.
 * @param minify - esbuild's options for each file.
 */
export async function toCommonJs({ input, dir, minify }) {
  const bundle = await rollup({
    input,
    external: (id) => !/^(?:\.{0,2}\/|[A-Z]:)/i.test(id),
    onwarn: (warning) => {
      throw new Error(warning.message);
    },
  });
  const smaller = {
    name: 'smaller',
    generateBundle: async (_options, bundle) => {
      for (const chunk of Object.values(bundle)) {
        chunk.code = (await transform(chunk.code, { ...minify, platform: 'node', format: 'cjs' })).code;
      }
    },
  };
  await bundle.write({
    dir,
    format: 'cjs',
    entryFileNames: '[name].cjs',
    chunkFileNames: 'chunk-[hash].cjs',
    exports: 'named',
    interop: 'auto',
    minifyInternalExports: true,
    // Required at its first use, not imported: jest has no `import()` in CommonJS.
    dynamicImportInCjs: false,
    plugins: [smaller],
  });
  await bundle.close();
}
