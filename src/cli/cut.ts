import { Styled } from './styled.js';

/** The line, or the beginning of it that fits into the columns with an ellipsis. */
export function cut(line: Styled, columns: number): Styled {
  const length = line.parts.reduce((sum, { text }) => sum + [...text].length, 0);
  if (length <= columns) return line;
  let left = columns - 1;
  const parts = line.parts.map((part) => {
    const characters = [...part.text].slice(0, left);
    left -= characters.length;
    return { ...part, text: characters.join('') };
  });
  return new Styled([...parts, { text: '…' }]);
}
