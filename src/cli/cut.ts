import { Styled } from './styled.js';

/** The beginning of a line that fits into the columns. */
export function cut(line: Styled, columns: number): Styled {
  let left = columns;
  const parts = line.parts.map((part) => {
    const characters = [...part.text].slice(0, left);
    left -= characters.length;
    return { ...part, text: characters.join('') };
  });
  return new Styled(parts);
}
