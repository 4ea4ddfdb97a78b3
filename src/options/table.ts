import { type Check, resolve } from './checks.js';

/**
 * One row of a table that lists options: the default, and the check of a given
 * value. The interface of the options and the values after the checks derive
 * from the table, so that no option is listed twice.
 */
export interface Option<Value, Given = Value> {
  /** The value if the option is not given. */
  readonly default: Value;
  /** Returns the value if it is valid, and throws otherwise. */
  readonly check: Check<Value>;
  /** What the application may pass. Only the type exists. */
  readonly given?: Given;
}

/** The options as the application passes them. Comments of the rows are shown in an editor. */
export type GivenOptions<Table, RequiredName extends keyof Table = never> = {
  readonly [Name in keyof Pick<Table, RequiredName>]: GivenOf<Table[Name]>;
} & { readonly [Name in keyof Omit<Table, RequiredName>]?: GivenOf<Table[Name]> | undefined };

/** The options after their checks, with every default filled in. */
export type OptionValues<Table> = { readonly [Name in keyof Table]: ValueOf<Table[Name]> };

type ValueOf<Row> = Row extends Option<infer Value, infer _> ? Value : never;
type GivenOf<Row> = Row extends Option<infer _, infer Given> ? Given : never;

export function option<Value>(defaultValue: Value, check: Check<Value>): Option<Value> {
  return { default: defaultValue, check };
}

export function withoutDefault<Value>(check: Check<Value>): Option<Value | undefined, Value> {
  return { default: undefined, check };
}

/** An option that must be given; the code that resolves the table checks that it was. */
export function required<Value>(check: Check<Value>): Option<Value> {
  return { default: undefined as Value, check };
}

/** Nested options, of which the application may pass some. */
export function optionGroup<Values extends object>(
  table: {
    readonly [Name in keyof Values]: Option<Values[Name]>;
  },
): Option<Values, { readonly [Name in keyof Values]?: Values[Name] | undefined }> {
  const defaults = defaultsOf(table) as Values;
  const checks = checksOf(table) as { readonly [Name in keyof Values]-?: Check<Values[Name]> };
  return {
    default: defaults,
    check: (name, value) => resolve(`${name}.`, value, defaults, checks),
  };
}

export function defaultsOf<Table extends object>(table: Table): OptionValues<Table> {
  return Object.freeze(columnOf(table, 'default')) as OptionValues<Table>;
}

export function checksOf<Table extends object>(
  table: Table,
): { readonly [Name in keyof Table]-?: Check<ValueOf<Table[Name]>> } {
  return columnOf(table, 'check') as { readonly [Name in keyof Table]-?: Check<ValueOf<Table[Name]>> };
}

/** @throws {ConfigurationError} an option is unknown or invalid. */
export const resolveTable = <Values extends object>(
  table: { readonly [Name in keyof Values]: Omit<Option<Values[Name]>, 'given'> },
  given: unknown,
) => resolve('', given, defaultsOf(table) as Values, checksOf(table) as never);

function columnOf(table: object, column: 'default' | 'check'): Record<string, unknown> {
  const rows = Object.entries(table) as Array<[name: string, row: Option<unknown>]>;
  return Object.fromEntries(rows.map(([name, row]) => [name, row[column]]));
}
