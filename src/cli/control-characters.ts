/**
 * Characters that control a terminal or mislead its reader: C0, DEL and C1
 * controls, line and paragraph separators, lone surrogates, and format
 * characters (bidi overrides, invisible text). The two joiners are allowed,
 * because emoji and several scripts need them.
 */
const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]|[^\P{Cf}\u200c\u200d]/gu;

/** Makes a string safe to print as one line. Each control character is replaced, so that no two words join. */
export function stripControl(text: string): string {
  return text.replace(CONTROL, (character) => (/\s/.test(character) ? ' ' : '\ufffd'));
}

/** Escapes control characters in JSON, so that none is lost; line breaks between its tokens stay. */
export function escapeControl(json: string): string {
  return json.replace(CONTROL, (character) =>
    character === '\n'
      ? character
      : character
          .split('')
          .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
          .join(''),
  );
}
