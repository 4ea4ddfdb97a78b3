/** What a parameter can be in every dialect. */
export type SqlValue = string | number | null;

/** A part of a statement: its text between the parameters. */
export interface Fragment {
  readonly strings: readonly string[];
  readonly values: readonly SqlValue[];
}

/**
 * A statement, or a part of one: values become parameters, fragments are inserted.
 *
 * @example
 * sql`select * from ${raw('inbox')} where store_id = ${storeId}`
 */
export function sql(strings: TemplateStringsArray, ...inserted: readonly (SqlValue | Fragment)[]): Fragment {
  const texts = [strings[0] as string];
  const values: SqlValue[] = [];
  const append = (text: string) => {
    texts[texts.length - 1] += text;
  };
  inserted.forEach((each, index) => {
    if (typeof each === 'object' && each !== null) {
      append(each.strings[0] as string);
      texts.push(...each.strings.slice(1));
      values.push(...each.values);
    } else {
      values.push(each);
      texts.push('');
    }
    append(strings[index + 1] as string);
  });
  return { strings: texts, values };
}

/** A text that is no parameter: the name of a table, a keyword. */
export const raw = (text: string): Fragment => ({ strings: [text], values: [] });

/** Parts with commas between them. */
export function list(parts: readonly (SqlValue | Fragment)[]): Fragment {
  return parts.reduce<Fragment>(
    (before, part, index) => (index === 0 ? sql`${part}` : sql`${before}, ${part}`),
    raw(''),
  );
}

/** The text of a statement as the dialect's drivers take it. */
export function textOf({ strings }: Fragment, dialect: 'postgres' | 'sqlite'): string {
  return strings.reduce((text, part, index) => `${text}${dialect === 'postgres' ? `$${index}` : '?'}${part}`);
}

/** An instant as it is stored: ISO 8601, which sorts by time. */
export const at = (ms: number): string => new Date(ms).toISOString();
