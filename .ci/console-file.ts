import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync } from 'node:zlib';
import { build } from 'esbuild';

const folder = fileURLToPath(new URL('../src/testing/console/page/', import.meta.url));

/** The files of the page by their names, as a browser gets them. */
export async function consolePage(): Promise<Readonly<Record<string, string>>> {
  const { outputFiles } = await build({
    entryPoints: { page: `${folder}main.ts`, style: `${folder}page.css` },
    outdir: '/',
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    charset: 'utf8',
    legalComments: 'none',
    logLevel: 'warning',
  });
  const output = (end: string) => outputFiles.find(({ path }) => path.endsWith(end))?.text ?? '';
  return {
    'index.html': readFileSync(`${folder}index.html`, 'utf8').replace(/>\s+</g, '><'),
    'page.js': output('page.js'),
    'page.css': output('style.css'),
  };
}

/** The module that contains the page, compressed. */
export async function consoleFile(): Promise<string> {
  const packed = brotliCompressSync(JSON.stringify(await consolePage())).toString('base64');
  return `/** The page of the console, from \`page/\` by \`npm run generate\`: JSON, brotli, base64. */
export const PAGE =
  '${packed}';
`;
}
