/**
 * The doors of the package, a line each. `needs`: the optional peers without
 * which it cannot be imported at all.
 */
export const ENTRIES = [
  { path: '.', needs: [] },
  { path: './bullmq', needs: ['bullmq'] },
  { path: './hosts', needs: [] },
  { path: './menu', needs: [] },
  { path: './nestjs', needs: ['@nestjs/common'] },
  { path: './opentelemetry', needs: ['@opentelemetry/api'] },
  { path: './redis', needs: [] },
  { path: './schemas', needs: [] },
  { path: './sql', needs: [] },
  { path: './testing', needs: [] },
];

/** Its commands, and arguments with which one ends well at once. */
export const BINS = [{ name: 'opendelivery', args: ['--version'] }];

/** @throws {Error} the package has a door that is not in the list, or the other way round. */
export function checkEntries({ exports, bin = {} }) {
  const compare = (what, listed, there) => {
    if (listed.toSorted().join() === there.toSorted().join()) return;
    throw new Error(
      `package.json has the ${what} ${there.join(', ')}; .ci/entries.mjs has ${listed.join(', ')}`,
    );
  };
  const doors = Object.keys(exports).filter((path) => path !== './package.json');
  compare(
    'exports',
    ENTRIES.map(({ path }) => path),
    doors,
  );
  compare(
    'bins',
    BINS.map(({ name }) => name),
    Object.keys(bin),
  );
}
