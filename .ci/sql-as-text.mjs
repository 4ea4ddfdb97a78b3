/** Imports files of SQL as text, as the build does: for `node --import tsx`, which runs the sources. */
import { readFileSync } from 'node:fs';
// Not `registerHooks` by its name: Node 20 does not have it.
import * as nodeModule from 'node:module';
import { isMainThread } from 'node:worker_threads';

export function load(url, context, next) {
  if (!url.endsWith('.sql')) return next(url, context);
  const text = readFileSync(new URL(url), 'utf8');
  return { format: 'module', source: `export default ${JSON.stringify(text)};`, shortCircuit: true };
}

if (nodeModule.registerHooks) nodeModule.registerHooks({ load });
// Node imports this file again in its thread for hooks.
else if (isMainThread) nodeModule.register(import.meta.url);
