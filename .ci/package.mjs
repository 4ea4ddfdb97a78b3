/** Packs the package and uses it as its consumers do. */
import { join } from 'node:path';
import { consumerCi } from './consumer-ci.mjs';
import { checkContents } from './contents.mjs';
import { checkEntries } from './entries.mjs';
import { inboxRecipes } from './inbox-recipes.mjs';
import { mcp } from './mcp.mjs';
import { nestShop } from './nestjs.mjs';
import { nodes } from './nodes.mjs';
import { platforms } from './platforms.mjs';
import { stackTraces } from './readable-code.mjs';
import { recipes } from './recipes.mjs';
import { types } from './types.mjs';
import { manifest, root, run, together, Workshop } from './workshop.mjs';

checkEntries(manifest);
const shop = await Workshop.open();
try {
  await checkContents(shop);
  const attw = async () => {
    await run(join(root, 'node_modules/.bin/attw'), [shop.tarball]);
    console.log('attw: clean');
  };
  const [install, ...runs] = consumerCi(shop);
  // What takes longest first; its runs wait for it.
  const failures = await together([
    install,
    attw,
    () => stackTraces(shop),
    ...nodes(shop),
    ...platforms(shop),
    ...recipes(shop),
    () => inboxRecipes(shop),
    () => nestShop(shop),
    () => mcp(shop),
    ...types(shop),
    ...runs,
  ]);
  for (const { message } of failures) console.error(`\n${message}`);
  if (failures.length > 0) process.exitCode = 1;
} finally {
  shop.close();
}
