import { type Part, Styled } from './styled.js';

/**
 * A line broken between words for a terminal of that width; the lines after
 * the first are indented a little further. A word is never broken: it may be
 * an id or an address to be copied.
 */
export function wrapped(line: Styled, columns: number): Styled[] {
  const text = line.toString();
  if (text.length <= columns) return [line];
  const indent = (/^ */.exec(text)?.[0].length ?? 0) + 2;
  const lines: Part[][] = [[]];
  let width = 0;
  for (const { text: part, colour } of line.parts) {
    for (const word of part.match(/ *[^ ]+| +$/g) ?? []) {
      let own = word;
      // A word right behind another part's, as a colon, belongs to it.
      if (width > indent && word.startsWith(' ') && width + word.length > columns) {
        own = word.trimStart();
        lines.push([{ text: ' '.repeat(indent) }]);
        width = indent;
      }
      lines.at(-1)?.push({ text: own, ...(colour && { colour }) });
      width += own.length;
    }
  }
  return lines.map((parts) => new Styled(parts));
}
