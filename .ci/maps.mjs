/** Source maps: the build writes them beside the code, and the package leaves them out. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { SourceMap } from 'node:module';
import { join, posix } from 'node:path';

/** Removes the comments that name the maps: without these files, debuggers and bundlers would warn. */
export async function hideMaps(dir) {
  const files = (await readdir(dir, { recursive: true })).filter((path) => path.endsWith('.js'));
  for (const path of files.map((path) => join(dir, path))) {
    const code = await readFile(path, 'utf8');
    await writeFile(path, code.replace(/^\/\/# sourceMappingURL=.*\s*$/m, ''));
  }
}

/**
 * The stack trace with the places in the sources.
 *
 * @param stack - as it was printed where the packed code ran.
 * @param dist - where the maps of the same version are.
 */
export async function symbolicate(stack, dist) {
  const maps = new Map();
  for (const [, path] of stack.matchAll(PLACE)) {
    const file = join(dist, `${slashed(path)}.map`);
    maps.set(path, new SourceMap(JSON.parse(await readFile(file, 'utf8'))));
  }
  return stack.replace(PLACE, (place, path, line, column) => {
    const { fileName, lineNumber, columnNumber } = maps.get(path).findOrigin(Number(line), Number(column));
    // Code of the bundler itself has no source.
    if (!fileName) return place;
    return `${posix.join('dist', posix.dirname(slashed(path)), fileName)}:${lineNumber}:${columnNumber}`;
  });
}

/** A place in the packed code: `file:///app/node_modules/opendelivery-client/dist/testing/index.js:1:2`. */
const PLACE = /[^\s(]*\bopendelivery-client[/\\]dist[/\\]([\w.\-/\\]+\.c?js):(\d+):(\d+)/g;

const slashed = (path) => path.replaceAll('\\', '/');
