export const PERCENT = 0x25;
export const AMPERSAND = 0x26;
export const PLUS = 0x2b;
export const BACKSLASH = 0x5c;
export const SEMICOLON = 0x3b;
export const HASH = 0x23;

export const MAX_CODE_POINT = 0x10ffff;

/** Added to a byte from 0x80, to distinguish a byte of a UTF-8 sequence from the Latin-1 character of the same number. */
export const RAW_BYTE = 0x200000;

/** The control characters that `\n` and similar escapes stand for, by the letter behind the backslash. */
export const CONTROL_ESCAPES: ReadonlyMap<number, number> = new Map(
  Object.entries({ n: 10, r: 13, t: 9, b: 8, f: 12, v: 11, a: 7, e: 27, '0': 0 }).map(([letter, code]) => [
    letter.charCodeAt(0),
    code,
  ]),
);

/** Whether an escape of any kind but `+` begins with this character. */
export const beginsEscape = (code: number) => code === PERCENT || code === BACKSLASH || code === AMPERSAND;

const HEX_VALUES = Int8Array.from({ length: 128 }, (_, code) =>
  '0123456789abcdef'.indexOf(String.fromCharCode(code).toLowerCase()),
);
const LETTERS_AND_DIGITS = Uint8Array.from({ length: 128 }, (_, code) =>
  /[0-9A-Za-z]/.test(String.fromCharCode(code)) ? 1 : 0,
);

/** The value of a hexadecimal digit; -1 if the character is not one. */
export const hexValue = (code: number) => (code < 128 ? (HEX_VALUES[code] ?? -1) : -1);

/** Whether the character is an ASCII letter or digit. */
export const isLetterOrDigit = (code: number) => code < 128 && LETTERS_AND_DIGITS[code] === 1;
