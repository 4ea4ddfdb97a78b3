/** Writes the licences of the packages that a build has put into its output: MIT asks for a copy of each. */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const FILE = 'THIRD-PARTY-NOTICES.txt';
const RULE = `\n\n${'-'.repeat(80)}\n\n`;

/**
 * @param {string} outdir
 * @returns {import('esbuild').Plugin}
 */
export function notices(outdir) {
  return {
    name: 'notices',
    setup(build) {
      build.initialOptions.metafile = true;
      build.onEnd(async ({ metafile }) => {
        const folders = new Set(Object.keys(metafile?.inputs ?? {}).flatMap(packageFolder));
        const texts = await Promise.all([...folders].sort().map(noticeOf));
        await mkdir(outdir, { recursive: true });
        await writeFile(join(outdir, FILE), `${texts.join(RULE)}\n`);
      });
    },
  };
}

function packageFolder(input) {
  const found = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input);
  return found ? [found[0]] : [];
}

async function noticeOf(folder) {
  const { name, version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  const file = (await readdir(folder)).find((each) => /^licen[cs]e/i.test(each));
  if (!file) throw new Error(`${name} is bundled and has no licence file`);
  const text = await readFile(join(folder, file), 'utf8');
  return `${name} ${version} (${license})\n\n${text.trim()}`;
}
