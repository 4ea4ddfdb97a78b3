import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as fc from 'fast-check';
import { createMockHub } from 'opendelivery-client/testing';
import { expect, it } from 'vitest';
import { anyCharacter } from '../strings.js';
import { afterAdvance } from '../support.js';
import { fileWith } from '../temporary.js';
import { exits, hubInEnvironment } from './support.js';

const EVENING = '--time-zone America/Sao_Paulo --at 2026-01-05T21:00-03:00';

/** C0, DEL, C1, bidi controls, separators and lone surrogates: they control a terminal or mislead a reader. */
const CONTROL =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the test looks for them
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]|\p{Cs}/u;

const HOSTILE = 'a\u001b]0;owned\u0007\u001b[31m\u009b2J\u202eb\r\u2066\u007f\ud800\u2028\nc';

const TEXTS = new Set(['name', 'description', 'currency', 'serviceType', 'status', 'unit', 'priceMethod']);

/** Writes the mock hub's menu to a file, with this string in every text. */
function hostileMenu(hostile: string): string {
  const text = JSON.stringify(createMockHub().merchant(), (key, value: unknown) =>
    TEXTS.has(key) && typeof value === 'string' ? `${hostile}${value}` : value,
  );
  return fileWith(text, 'menu.json');
}

/** Removes the colours that this program uses. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: an escape sequence
const uncoloured = (text: string) => text.replace(/\u001b\[(?:0|1|2|3[1236])m/g, '');

it.each(['', ' --html', ' --json'])('prints no control character of a menu (menu%s)', async (form) => {
  const ran = await exits(0, `menu --file ${hostileMenu(HOSTILE)} ${EVENING}${form}`);
  expect(ran.out).not.toMatch(CONTROL);
  expect(ran.out).toContain('owned');
});

it('prints its own colours on a terminal, and no other escape sequence', async () => {
  const ran = await exits(0, `menu --file ${hostileMenu(HOSTILE.replace('\u001b[31m', ''))} ${EVENING}`, {
    isTTY: true,
  });
  expect(ran.out).toContain('\u001b[1m');
  expect(uncoloured(ran.out)).not.toMatch(CONTROL);
  const foreign = await exits(0, `menu --file ${hostileMenu('\u001b[31mred\u001b[0m')} ${EVENING}`, {
    isTTY: true,
  });
  expect(foreign.out).not.toContain('\u001b[31mred');
});

it('escapes control characters in JSON, and does not lose any', async () => {
  const ran = await exits(0, `menu --json --file ${hostileMenu(HOSTILE)} ${EVENING}`);
  expect((JSON.parse(ran.out) as { name: string }).name).toBe(`${HOSTILE}Forno da Vila`);
});

it('keeps emoji, and scripts that need joiners', async () => {
  const names = '👨\u200d👩\u200d👧 می\u200cخواهم Açaí 寿司';
  const ran = await exits(0, `menu --file ${hostileMenu(names)} ${EVENING}`);
  expect(ran.out).toContain(names);
});

it('prints no control character of an event', async () => {
  const { clock, mock } = await hubInEnvironment();
  for (const text of fc.sample(fc.string({ unit: anyCharacter, minLength: 1 }), 200))
    mock.emit(`X${HOSTILE}${text}`, { orderId: `${HOSTILE}${text}` });
  const plain = await exits(0, 'poll --once', { clock });
  expect(plain.out.trim().split('\n')).toHaveLength(200);
  expect(plain.out + plain.err).not.toMatch(CONTROL);
  const json = await exits(0, 'poll --once --json', { clock });
  expect(json.out.trim().split('\n')).toHaveLength(200);
  expect(json.out).not.toMatch(CONTROL);
});

it('masks tokens and keys that a hub puts into events or the menu', async () => {
  const { clock, mock } = await hubInEnvironment();
  const { apiKey, clientSecret } = mock.credentials;
  await exits(0, 'token', { clock });
  mock.emit(`ECHO_${clientSecret}`, { orderId: `order-${apiKey}` });
  mock.publishMerchant((merchant) => {
    merchant.basicInfo.name = `Forno ${apiKey}`;
    merchant.items[0].name = clientSecret;
    // Menu.issues truncate a long id at 80 characters.
    merchant.categories[0].itemOfferId.push(`${'i'.repeat(80 - 8)}${apiKey}`);
  });
  for (const commandLine of [
    'poll --once',
    'poll --once --json',
    `menu ${EVENING}`,
    `menu ${EVENING} --json`,
    `menu ${EVENING} --html`,
  ]) {
    const ran = await afterAdvance(clock, '2m', exits(0, commandLine, { clock }));
    expect(ran.out, commandLine).toContain('[secret]');
    expect(ran.out + ran.err, commandLine).not.toMatch(/mock-(?:api|client-s)/);
  }
});

it('writes output in one file only, which sanitizes all of it', () => {
  const folder = fileURLToPath(new URL('../../src/cli/', import.meta.url));
  const writing = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .filter((file) =>
      /\.write\(|process\.std(?:out|err)\.(?!on)|console\./.test(readFileSync(folder + file, 'utf8')),
    )
    .sort();
  expect(writing).toEqual(['terminal.ts']);
});
