import assert from 'node:assert/strict';
import { createRequire } from 'node:module';

/** Every entry that is named has exports, the same for those who import and those who require. */
const require = createRequire(import.meta.url);
for (const name of process.argv.slice(2)) {
  const names = Object.keys(await import(name)).sort();
  assert.ok(names.length > 0, `${name} exports nothing`);
  assert.deepEqual(Object.keys(require(name)).sort(), names, name);
}
