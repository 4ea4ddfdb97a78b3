import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { generatedFiles } from '../../.ci/readers/files.js';
import { programOf } from '../programs.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const FOLDER = 'src/reading/generated/';

it('the generated readers are those of the present schemas; otherwise run `npm run generate`', () => {
  const files = generatedFiles();
  expect([...files.keys()].sort()).toEqual(
    readdirSync(root + FOLDER)
      .map((name) => FOLDER + name)
      .sort(),
  );
  for (const [path, content] of files) expect(readFileSync(root + path, 'utf8'), path).toBe(content);
});

it('a document is read in a process that forbids code made from strings', () => {
  const script = `
    import { readFileSync } from 'node:fs';
    import { readMerchant } from ${JSON.stringify(programOf('src/merchant/read.ts'))};
    let forbidden = false;
    try { new Function(''); } catch { forbidden = true; }
    const { issues } = readMerchant(JSON.parse(readFileSync('test/fixtures/own-merchant.json', 'utf8')));
    console.log(JSON.stringify([forbidden, issues.length]));`;
  const flags = ['--disallow-code-generation-from-strings', '--input-type=module', '-e', script];
  const output = execFileSync(process.execPath, flags, { cwd: root, encoding: 'utf8' });
  expect(JSON.parse(output)).toEqual([true, 34]);
});
