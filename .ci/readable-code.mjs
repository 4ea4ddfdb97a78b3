/** The packed code can be read: a stack trace has our names, and a line is a line. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { manifest, run } from './workshop.mjs';

/** Prints two stack traces: of a constructor, and of a method that calls private ones. */
const FAILING = `(async () => {
  try { new HubClient({ baseUrl: 'no URL' }); } catch (error) { console.log(error.stack); }
  const hub = new HubClient({ baseUrl: 'http://127.0.0.1:9', clientId: '1001', clientSecret: 'a secret' });
  await hub.merchant.get().catch((error) => console.log(error.stack));
})();`;
const PROGRAMS = {
  'failing.mjs': `import { HubClient } from '${manifest.name}'; ${FAILING}`,
  'failing.cjs': `const { HubClient } = require('${manifest.name}'); ${FAILING}`,
};

/** A constructor, a method, a private method. */
const NAMED = [/at new HubClient \(/, /at async MerchantClient\.get \(/, /at (?:async )?#[a-z]\w{3,} \(/];

export async function stackTraces(shop) {
  const project = await shop.project('plain');
  for (const [name, program] of Object.entries(PROGRAMS)) {
    await writeFile(join(project, name), program);
    const stacks = await run(process.execPath, [name], { cwd: project });
    for (const pattern of NAMED) {
      if (!pattern.test(stacks)) throw new Error(`${name}: no line of the stacks is ${pattern}\n${stacks}`);
    }
  }
  console.log('stack traces: name our classes and methods');
}

const MAX_LINE = 300;
const STRING = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`/g;

/** @throws {Error} a line of code is too long to be read; a string may be as long as its data. */
export async function checkLines(files) {
  for (const file of files.filter((path) => /\.c?js$/.test(path))) {
    const lines = (await readFile(file, 'utf8')).split('\n');
    const at = lines.findIndex((line) => line.replace(STRING, '""').length > MAX_LINE);
    if (at !== -1) throw new Error(`${file}:${at + 1} has more than ${MAX_LINE} characters; is it minified?`);
  }
}
