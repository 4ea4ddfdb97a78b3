/**
 * Characters that steer a terminal or mislead its reader: C0, DEL and C1 controls, line and paragraph
 * separators, halves of characters, and format characters (bidi overrides, invisible text) without the two
 * joiners, which emoji and several scripts need.
 */
const STEERING = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]|[^\P{Cf}\u200c\u200d]/gu;

/** One line of text for a terminal. Replaced, not removed: what stood around such a character is not joined. */
export function withoutControls(text: string): string {
  return text.replace(STEERING, (character) => (/\s/.test(character) ? ' ' : '\ufffd'));
}

/** JSON with the same characters escaped, so that it loses none of them; its own line breaks stay. */
export function withEscapedControls(json: string): string {
  return json.replace(STEERING, (character) =>
    character === '\n'
      ? character
      : character
          .split('')
          .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
          .join(''),
  );
}
