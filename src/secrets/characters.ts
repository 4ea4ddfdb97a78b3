export const PERCENT = 0x25;
export const AMPERSAND = 0x26;
export const PLUS = 0x2b;
export const BACKSLASH = 0x5c;
export const SEMICOLON = 0x3b;
export const HASH = 0x23;

export const MAX_CODE_POINT = 0x10ffff;
/** Added to a byte of a UTF-8 sequence, which is not a character by itself. */
export const BYTE = 0x200000;

/** What `\n` and the like stand for. */
export const CONTROLS: ReadonlyMap<number, number> = new Map(
  Object.entries({ n: 10, r: 13, t: 9, b: 8, f: 12, v: 11, a: 7, e: 27, '0': 0 }).map(([letter, code]) => [
    letter.charCodeAt(0),
    code,
  ]),
);

/** Whether it begins an escape of any kind but `+`. */
export const isOpening = (code: number) => code === PERCENT || code === BACKSLASH || code === AMPERSAND;

const HEX_DIGITS = Int8Array.from({ length: 128 }, (_, code) =>
  '0123456789abcdef'.indexOf(String.fromCharCode(code).toLowerCase()),
);
const WORD = Uint8Array.from({ length: 128 }, (_, code) =>
  /[0-9A-Za-z]/.test(String.fromCharCode(code)) ? 1 : 0,
);

/** The value of a hexadecimal digit; -1 where it is not one. */
export const hexDigit = (code: number) => (code < 128 ? (HEX_DIGITS[code] ?? -1) : -1);

/** Whether it is an ASCII letter or digit. */
export const isWord = (code: number) => code < 128 && WORD[code] === 1;
