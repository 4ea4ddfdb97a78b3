/** A stack trace of the packed code leads to the sources, by the maps that the build leaves beside the code. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { manifest, root, run } from './workshop.mjs';

/** Prints the stack trace of an error that the constructor throws. */
const FAILING = `try { new HubClient({ baseUrl: 'no URL' }); } catch (error) { console.log(error.stack); }`;
const PROGRAMS = {
  'failing.mjs': `import { HubClient } from '${manifest.name}'; ${FAILING}`,
  'failing.cjs': `const { HubClient } = require('${manifest.name}'); ${FAILING}`,
};

/** The sources that the stack leads through, from the top. */
const SOURCES = [
  'src/options/url.ts',
  'src/option-checks.ts',
  'src/options.ts',
  'src/client.ts',
  'src/client.ts',
];

export async function stackTraces(shop) {
  await checkMaps(join(root, 'dist'));
  const project = await shop.project('stack-traces');
  for (const [name, program] of Object.entries(PROGRAMS)) {
    await writeFile(join(project, name), program);
    const trace = join(project, `${name}.txt`);
    await writeFile(trace, await run(process.execPath, [name], { cwd: project }));
    const stack = await run(process.execPath, ['.ci/symbolicate.mjs', trace]);
    const sources = [...stack.matchAll(/\b(src\/[\w./-]+):\d+:\d+/g)].map(([, source]) => source);
    if (sources.join() !== SOURCES.join())
      throw new Error(`the stack of ${name} is not in the sources:\n${stack}`);
  }
  console.log('source maps: the stack of an error leads to the sources');
}

/** Each file has a map beside it, and does not name it: the package leaves the maps out. */
async function checkMaps(dist) {
  const files = await readdir(dist, { recursive: true });
  // The page of the console is data.
  for (const path of files.filter((path) => /\.c?js$/.test(path) && path !== 'console-page.cjs')) {
    if (!files.includes(`${path}.map`)) throw new Error(`${path} has no source map`);
    const code = await readFile(join(dist, path), 'utf8');
    if (code.includes('sourceMappingURL')) throw new Error(`${path} names a source map`);
  }
}
