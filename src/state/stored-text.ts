/** Before the four hex digits of a UTF-16 code unit that cannot be stored as it is. */
const MARKER = '\uffff';

const UNSTORABLE =
  /^\ufeff|[\0\uffff]|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;

const BYTE_ORDER_MARK = '\ufeff';

/**
 * A string as databases store it: without NUL, at which some drivers end a
 * string, without lone surrogates, which UTF-8 does not have, and without a byte
 * order mark at its beginning, which some drivers remove. Ordinary strings stay as
 * they are; different strings stay different.
 */
export function toStoredText(text: string): string {
  const isStorable = text.isWellFormed() && !text.includes('\0') && !text.startsWith(BYTE_ORDER_MARK);
  if (isStorable && !text.includes(MARKER)) return text;
  return text.replace(UNSTORABLE, (unit) => MARKER + unit.charCodeAt(0).toString(16).padStart(4, '0'));
}

export function fromStoredText(stored: string): string {
  if (!stored.includes(MARKER)) return stored;
  return stored.replace(/\uffff([\da-f]{4})/g, (_all, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
}
