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
  readonly #parts: readonly Part[];

  constructor(parts: readonly Part[]) {
    this.#parts = parts;
  }

  /** Neighbouring parts of one colour are joined, because a secret may span them. */
  get parts(): readonly Part[] {
    const joined: Part[] = [];
    for (const part of this.#parts) {
      const last = joined.at(-1);
      if (last && last.colour === part.colour) joined.splice(-1, 1, { ...part, text: last.text + part.text });
      else joined.push(part);
    }
    return joined;
  }

  /** The text without colours. */
  toString(): string {
    return this.#parts.map(({ text }) => text).join('');
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

/** The text with the escape sequences of a colour. */
export function coloured(colour: Colour, text: string): string {
  return `\u001b[${SGR[colour]}m${text}\u001b[0m`;
}
