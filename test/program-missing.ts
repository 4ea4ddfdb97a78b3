import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

/** Debian puts the programs of a Postgres server beside the PATH, into a folder for each version. */
const POSTGRES = '/usr/lib/postgresql';
const postgresVersions = existsSync(POSTGRES)
  ? readdirSync(POSTGRES).sort((a, b) => Number(b) - Number(a))
  : [];

/** What tests need and may not be on a contributor's machine: its names, and the package of Debian that has it. */
const PROGRAMS = {
  'redis-server': { names: ['redis-server'], installedBy: 'redis-server' },
  // CHROMIUM: a browser that is not on the PATH.
  chromium: {
    names: [process.env.CHROMIUM ?? 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'],
    installedBy: 'chromium',
  },
  postgres: {
    names: ['postgres', ...postgresVersions.map((version) => `${POSTGRES}/${version}/bin/postgres`)],
    installedBy: 'postgresql',
  },
  python3: { names: ['python3'], installedBy: 'python3' },
  php: { names: ['php'], installedBy: 'php-cli' },
  promtool: { names: ['promtool'], installedBy: 'prometheus' },
  openssl: { names: ['openssl'], installedBy: 'openssl' },
  strace: { names: ['strace'], installedBy: 'strace' },
} as const;

type Program = keyof typeof PROGRAMS;

/** Where the program is. @throws {Error} it is not installed. */
export function pathOf(program: Program): string {
  const found = findProgram(program);
  if (found !== undefined) return found;
  throw new Error(`${program} is not installed: apt-get install ${PROGRAMS[program].installedBy}`);
}

/**
 * Whether tests that need the program are skipped.
 *
 * @throws {Error} it is missing in the gate, which sets OPENDELIVERY_REQUIRE_ALL.
 */
export function isProgramMissing(program: Program): boolean {
  if (findProgram(program) !== undefined) return false;
  if (process.env.OPENDELIVERY_REQUIRE_ALL) pathOf(program);
  return true;
}

function findProgram(program: Program): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
  return PROGRAMS[program].names
    .flatMap((name) => (isAbsolute(name) ? [name] : folders.map((folder) => join(folder, name))))
    .find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
