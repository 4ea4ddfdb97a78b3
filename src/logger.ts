/** Where warnings and errors go: `console` fits, winston too. An error is in `fields.error`. */
export interface Logger {
  debug(message: string, fields?: object): void;
  info(message: string, fields?: object): void;
  warn(message: string, fields?: object): void;
  error(message: string, fields?: object): void;
}

/** A logger as pino and bunyan have it, recognized by its `child` method. An error is in `fields.err`. */
export interface FieldsFirstLogger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  // biome-ignore lint/suspicious/noExplicitAny: only whether there is one matters; every library has its own parameters.
  child(...parameters: any[]): unknown;
}

type Level = keyof Logger;
type Fields = { readonly error?: unknown };
type Write = (level: Level, message: string, fields?: Fields) => void;

const nothing = () => {};

export const silentLogger: Logger = Object.freeze({
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
});

/** The default: warnings and errors to the console, looked up when called. */
export const consoleLogger: Logger = Object.freeze({
  ...silentLogger,
  warn: (message: string, fields?: object) => console.warn(message, ...(fields ? [fields] : [])),
  error: (message: string, fields?: object) => console.error(message, ...(fields ? [fields] : [])),
});

/** Calls a logger in its own order of parameters; its own failure harms nothing. */
export function guardLogger(logger: Logger | FieldsFirstLogger): Logger {
  const write = writerOf(logger);
  const guard = (level: Level) => (message: string, fields?: object) => {
    try {
      write(level, message, fields);
    } catch {
      // The failure cannot be reported anywhere: the logger itself has failed.
    }
  };
  return { debug: guard('debug'), info: guard('info'), warn: guard('warn'), error: guard('error') };
}

function writerOf(logger: Logger | FieldsFirstLogger): Write {
  // winston has a `child` too, but takes the message first.
  if (isWinston(logger)) return (level, message, fields) => logger[level](winstonEntry(message, fields));
  if (!isFieldsFirst(logger)) return (level, message, fields) => logger[level](message, fields);
  return (level, message, { error, ...rest }: Fields = {}) =>
    logger[level]({ ...rest, ...(error === undefined ? {} : { err: serializable(error) }) }, message);
}

/**
 * One object, because of two parameters winston drops the second when there is
 * a % in the first. Many of its formats print the message only, so that one
 * contains the error's message.
 */
function winstonEntry(message: string, { error, ...rest }: Fields = {}): object {
  if (error === undefined) return { message, ...rest };
  const text = error instanceof Error ? error.message : String(error);
  return { message: `${message}: ${text}`, ...rest, error: serializable(error) };
}

const isFieldsFirst = (logger: Logger | FieldsFirstLogger): logger is FieldsFirstLogger =>
  'child' in logger && typeof logger.child === 'function';

const isWinston = (logger: object): logger is Record<Level, (entry: object) => void> =>
  'transports' in logger && 'configure' in logger && typeof logger.configure === 'function';

/**
 * Wraps an error for libraries that write JSON, where an Error is `{}`.
 *
 * The wrapper inherits from the error, so `instanceof`, the message and the
 * stack are there for a serializer such as pino's. Such serializers also mark
 * what they have seen, which fails on a frozen error; here they mark the wrapper.
 */
function serializable(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const errors: unknown = Reflect.get(error, 'errors');
  return Object.create(error, {
    toJSON: { value: () => toPlain(error) },
    ...(Array.isArray(errors) ? { errors: { value: errors.map(serializable) } } : {}),
  });
}

/** At most this many causes below each other, which also ends a circle of them. */
const MAX_DEPTH = 5;

function toPlain(error: Error, depth = 0): object {
  const { name, message, stack, cause } = error;
  const nested = (value: unknown) => (value instanceof Error ? toPlain(value, depth + 1) : value);
  const own: unknown = 'toJSON' in error && typeof error.toJSON === 'function' ? error.toJSON() : undefined;
  const errors: unknown = Reflect.get(error, 'errors');
  const isDeep = depth >= MAX_DEPTH;
  return {
    ...(typeof own === 'object' ? own : {}),
    name,
    message,
    ...('code' in error ? { code: error.code } : {}),
    stack,
    ...(cause === undefined || isDeep ? {} : { cause: nested(cause) }),
    ...(Array.isArray(errors) && !isDeep ? { errors: errors.map(nested) } : {}),
  };
}
