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

const SGR = { red: 31, green: 32, yellow: 33, cyan: 36, bold: 1, dim: 2 } as const;

export type Colour = keyof typeof SGR;

export interface Part {
  readonly text: string;
  readonly colour?: Colour;
}

/**
 * A line of text and the colours of its parts. They are kept apart so that the
 * terminal can sanitize the text first and add the escape sequences afterwards.
 */
export class Styled {
  readonly parts: readonly Part[];

  /** Neighbouring parts of one colour are joined, because a secret may span them. */
  constructor(parts: readonly Part[]) {
    const joined: Part[] = [];
    for (const part of parts) {
      const last = joined.at(-1);
      if (last && last.colour === part.colour) joined.splice(-1, 1, { ...part, text: last.text + part.text });
      else joined.push(part);
    }
    this.parts = joined;
  }

  toString(): string {
    return this.parts.map(({ text }) => text).join('');
  }
}

export function paint(colour: Colour, text: string): Styled {
  return new Styled([{ text, colour }]);
}

/** Template tag: values that are `Styled` keep their colours. */
export function styled(
  fixed: TemplateStringsArray,
  ...values: readonly (string | number | Styled)[]
): Styled {
  return new Styled(
    fixed.flatMap((text, index) => {
      const value = values[index] ?? '';
      return [{ text }, ...(value instanceof Styled ? value.parts : [{ text: String(value) }])];
    }),
  );
}

/** The line with the escape sequences of its colours. */
export function coloured({ parts }: Styled): string {
  return parts.map(({ text, colour }) => (colour ? `\u001b[${SGR[colour]}m${text}\u001b[0m` : text)).join('');
}

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
