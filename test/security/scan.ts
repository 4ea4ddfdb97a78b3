import { format, inspect } from 'node:util';
import { SPELLINGS } from '../http/support.js';

/** The credentials of these tests: plain ones, one of characters that are escaped, and one longer than any text that is cut. */
export const CREDENTIALS = {
  clientSecret: 's3cr&t+/=% "quote\\ é<>\'`日😀~!',
  rotatedSecret: 'rotated-Secret.2f8c61d0aa',
  apiKey: 'key_9b1deb4d3b7d4bad9bdd2b0d7b3dcb6d',
  partnerKey: 'partner/Key+7f3a==9c1e',
  partnerPassword: 'p4rtner-passw0rd',
  token: `eyJhbGciOiJIUzI1NiJ9.${'Zm9vYmFyLXRva2Vu'.repeat(20)}.4f-_x`,
} as const;

export type Spelling = (secret: string) => string;

/** The ways in which a hub may write a secret. */
export const ENCODERS: ReadonlyArray<readonly [string, Spelling]> = [...SPELLINGS];

/** Parts of an encoded secret that must not be shown: half of a secret is as bad as all of it. */
function coresOf(encoded: string): string[] {
  // Of a long secret, not even a third may remain.
  const core = Math.min(24, Math.ceil(encoded.length / 3));
  const starts = [Math.ceil(encoded.length / 3), Math.floor((encoded.length * 2) / 3) - core];
  return starts.map((start) => encoded.slice(Math.max(0, start), Math.max(0, start) + core));
}

const CORES = Object.entries(CREDENTIALS).flatMap(([name, secret]) =>
  ENCODERS.map(([spelling, of]) => ({
    found: `${name} as ${spelling}`,
    cores: coresOf(of(secret).replace(/=+$/, '')),
  })),
);

/** The secrets in a text, and how they are encoded. */
export function findSecrets(text: string): string[] {
  // Many lines are printed several times.
  const lines = [...new Set(text.split('\n'))].join('\n');
  // Inspecting and serializing escape once or twice more.
  const once = lines.replace(/\\(["'\\])/g, '$1');
  const twice = once.replace(/\\(["'\\])/g, '$1');
  const reading = [...new Set([lines, lines.replaceAll('\\\\', '\\'), once, twice])].join('\n');
  const shown = new Map<string, boolean>();
  const isShown = (core: string) => {
    const known = shown.get(core) ?? reading.includes(core);
    shown.set(core, known);
    return known;
  };
  return CORES.filter(({ cores }) => cores.some(isShown)).map(({ found }) => found);
}

/** Everything that the common ways of printing show of a value. */
export function printed(value: unknown): string {
  const seen = new Set<unknown>();
  const parts: string[] = [];
  const walk = (each: unknown, depth: number): void => {
    if (typeof each === 'string') parts.push(each);
    if (typeof each !== 'object' || each === null || seen.has(each) || depth > 12) return;
    seen.add(each);
    for (const key of Reflect.ownKeys(each)) {
      parts.push(String(key));
      walk(Reflect.get(each, key), depth + 1);
    }
  };
  walk(value, 0);
  return [
    ...parts,
    String(value),
    `${inspect(value)}`,
    inspect(value, { showHidden: true, depth: null, maxStringLength: null, maxArrayLength: null }),
    JSON.stringify(value) ?? '',
    format('%s %o %O', value, value, value),
    format('it failed:', value),
  ].join('\n');
}
