import { type Part, Styled } from './styled.js';

/**
 * Wraps a line between words; continuation lines are indented by two more
 * spaces. A word is never broken: it may be an id or an address to copy.
 */
export function wrap(line: Styled, columns: number): Styled[] {
  const text = line.toString();
  if (text.length <= columns) return [line];
  const indent = (/^ */.exec(text)?.[0].length ?? 0) + 2;
  const lines: Part[][] = [[]];
  let width = 0;
  for (const { text: part, colour } of line.parts) {
    for (const word of part.match(/ *[^ ]+| +$/g) ?? []) {
      let added = word;
      // Without a space before it, a word belongs to the part before it, such as a colon.
      if (width > indent && word.startsWith(' ') && width + word.length > columns) {
        added = word.trimStart();
        lines.push([{ text: ' '.repeat(indent) }]);
        width = indent;
      }
      lines.at(-1)?.push({ text: added, ...(colour && { colour }) });
      width += added.length;
    }
  }
  return lines.map((parts) => new Styled(parts));
}
