import { format, inspect } from 'node:util';
import { SPELLINGS } from '../http/support.js';

/** The credentials of these tests: plain ones, one full of what escapes trip over, one that is longer than any cut. */
export const CREDENTIALS = {
  clientSecret: 's3cr&t+/=% "quote\\ é<>\'`日😀~!',
  rotatedSecret: 'rotated-Secret.2f8c61d0aa',
  apiKey: 'key_9b1deb4d3b7d4bad9bdd2b0d7b3dcb6d',
  partnerKey: 'partner/Key+7f3a==9c1e',
  partnerPassword: 'p4rtner-passw0rd',
  token: `eyJhbGciOiJIUzI1NiJ9.${'Zm9vYmFyLXRva2Vu'.repeat(20)}.4f-_x`,
} as const;

export type Spelling = (secret: string) => string;

const hexOf = (text: string) => [...Buffer.from(text)].map((byte) => byte.toString(16).padStart(2, '0'));
const jsonText = (text: string) => JSON.stringify(text).slice(1, -1);
const page = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&#34;');
const points = (text: string) => [...text].map((each) => each.codePointAt(0) ?? 0);

/** Every way a hub may write a secret: those of its encoders, of encoders that spare no letter, of one in another. */
export const ENCODERS: ReadonlyArray<readonly [string, Spelling]> = [
  ...SPELLINGS,
  [
    'url: every letter',
    (secret) =>
      hexOf(secret)
        .map((hex) => `%${hex}`)
        .join(''),
  ],
  [
    'URL: EVERY LETTER',
    (secret) =>
      hexOf(secret)
        .map((hex) => `%${hex.toUpperCase()}`)
        .join(''),
  ],
  [
    'HTML: every letter',
    (secret) =>
      points(secret)
        .map((point) => `&#${point};`)
        .join(''),
  ],
  [
    'HTML: every letter in hex',
    (secret) =>
      points(secret)
        .map((point) => `&#x${point.toString(16)};`)
        .join(''),
  ],
  [
    'JSON: every letter',
    (secret) =>
      secret
        .split('')
        .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
        .join(''),
  ],
  ['URL in URL', (secret) => encodeURIComponent(encodeURIComponent(secret))],
  ['JSON in URL', (secret) => encodeURIComponent(jsonText(secret))],
  ['HTML in HTML', (secret) => page(page(secret))],
  ['HTML in JSON', (secret) => jsonText(page(secret)).replaceAll('&', '\\u0026')],
  ['JSON in JSON in JSON', (secret) => jsonText(jsonText(jsonText(secret)))],
  ['base64 in URL', (secret) => encodeURIComponent(Buffer.from(`1001:${secret}`).toString('base64'))],
];

/** Parts of a spelt secret that must not be shown: half of one is as bad as all of it. */
function coresOf(spelt: string): string[] {
  // Of base64 the digits a neighbour shares may stay, of a long secret not even a third may.
  const core = Math.min(24, Math.ceil(spelt.length / 3));
  const starts = [Math.ceil(spelt.length / 3), Math.floor((spelt.length * 2) / 3) - core];
  return starts.map((start) => spelt.slice(Math.max(0, start), Math.max(0, start) + core));
}

const CORES = Object.entries(CREDENTIALS).flatMap(([name, secret]) =>
  ENCODERS.map(([spelling, of]) => ({
    found: `${name} as ${spelling}`,
    cores: coresOf(of(secret).replace(/=+$/, '')),
  })),
);

/** Which secrets stand in a text, in which spelling. */
export function findSecrets(text: string): string[] {
  // The same is printed many times over.
  const lines = [...new Set(text.split('\n'))].join('\n');
  // What is inspected or serialized is escaped once or twice more.
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

/** All that anyone could print of a value, by every common way of printing. */
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
