/** Bundles of the packed package, as its users make them with esbuild. */
import { copyFile } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { build } from 'esbuild';
import { manifest, root } from './workshop.mjs';

/** For an ES module on Node.js; docs/runtimes.md names it. */
export const BANNER =
  "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";

/** A Worker imports the modules of Node.js, under their full names; it has no `require`. */
const builtins = {
  name: 'builtins',
  setup({ onResolve, onLoad }) {
    const filter = new RegExp(`^(?:node:)?(?:${builtinModules.join('|')})$`);
    onResolve({ filter }, ({ path, kind }) => {
      const name = path.replace(/^(?:node:)?/, 'node:');
      return kind === 'require-call' ? { path: name, namespace: 'required' } : { path: name, external: true };
    });
    onLoad({ filter: /.*/, namespace: 'required' }, ({ path }) => ({
      contents: `import required from '${path}'; module.exports = required;`,
    }));
  },
};

/** As wrangler does it for a Worker. */
export const EDGE = {
  format: 'esm',
  platform: 'browser',
  conditions: ['workerd', 'worker', 'browser'],
  external: ['cloudflare:*'],
  plugins: [builtins],
};

/** The program of the README for a Worker, minified, in bytes. No part is large: the goal of 140,000 needs fewer features. */
const MAX_EDGE_BYTES = 216_000;

/** What workerd does not have, or what has no effect there. */
const NOT_ON_THE_EDGE = ['node:fs', 'node:fs/promises', 'node:os', 'node:http', 'node:net', 'node:tls'];

/** Bundles an entry of a project into a file beside it; gives the file and esbuild's account of it. */
export async function bundle(project, entry, name, options) {
  const outfile = join(project, name);
  const { metafile } = await build({
    entryPoints: [join(project, entry)],
    outfile,
    absWorkingDir: project,
    bundle: true,
    target: 'es2022',
    metafile: true,
    logLevel: 'silent',
    ...options,
  });
  const [output] = Object.values(metafile.outputs);
  return { outfile, output };
}

/** The program of the README under the condition of Workers: small, without undici and without files. */
export async function checkEdgeBundle(shop) {
  const project = await shop.project('plain');
  await copyFile(join(root, 'examples/first-orders.ts'), join(project, 'first-orders.ts'));
  const edge = (name, external = []) =>
    bundle(project, 'first-orders.ts', name, {
      ...EDGE,
      external: [...EDGE.external, ...external],
      minify: true,
    });
  const { output } = await edge('edge.mjs');
  const { output: withoutZod } = await edge('edge-without-zod.mjs', ['zod', 'zod/*']);
  const figure = `${output.bytes} bytes (${withoutZod.bytes} without zod)`;

  const inputs = Object.keys(output.inputs);
  const undici = inputs.filter((path) => /node_modules\/undici\//.test(path));
  if (undici.length > 0) throw new Error(`the bundle for Workers contains ${undici[0]}`);
  const imported = output.imports.map(({ path }) => path);
  const missing = imported.filter((path) => NOT_ON_THE_EDGE.includes(path));
  if (missing.length > 0) throw new Error(`the bundle for Workers imports ${missing}`);
  if (withoutZod.bytes > MAX_EDGE_BYTES)
    throw new Error(
      `the bundle for Workers has ${figure}, not ${MAX_EDGE_BYTES}; its largest parts:\n${await largestParts()}`,
    );
  console.log(`the README's program for Workers: ${figure}, without undici`);
}

/** The same bundle, made of the sources: the files that take the most of it. */
async function largestParts(count = 5) {
  const { output } = await bundle(root, 'examples/first-orders.ts', 'edge.mjs', {
    ...EDGE,
    minify: true,
    write: false,
    tsconfigRaw: {},
    alias: { [manifest.name]: join(root, 'src/edge.ts') },
  });
  return Object.entries(output.inputs)
    .sort(([, one], [, other]) => other.bytesInOutput - one.bytesInOutput)
    .slice(0, count)
    .map(([path, { bytesInOutput }]) => `${bytesInOutput} bytes: ${path}`)
    .join('\n');
}
