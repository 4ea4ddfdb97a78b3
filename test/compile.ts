import { fileURLToPath } from 'node:url';
import { type BuildOptions, build, type Plugin } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));

/** How tests compile this repository for Node.js. */
export const FOR_NODE = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  packages: 'external',
  loader: { '.sql': 'text' },
  // Without the paths of tsconfig.json: `opendelivery-client` is a package here.
  tsconfigRaw: { compilerOptions: { experimentalDecorators: true } },
  logLevel: 'warning',
} as const satisfies BuildOptions;

/** Files import each other as their sources do; only JSON and SQL become part of the file that imports them. */
const fileByFile: Plugin = {
  name: 'file by file',
  setup({ onResolve }) {
    onResolve({ filter: /^\./ }, ({ kind, path }) =>
      kind === 'entry-point' || /\.(?:json|sql)$/.test(path) ? undefined : { path, external: true },
    );
  },
};

/** Compiles files to a folder that is laid out as the repository. */
export async function compileFileByFile(sources: readonly string[], folder: string): Promise<void> {
  await build({
    ...FOR_NODE,
    entryPoints: [...sources],
    outdir: folder,
    outbase: root,
    plugins: [fileByFile],
  });
}
