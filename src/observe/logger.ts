import { isThenable } from '../async/promises.js';
import { shownError } from '../errors/error-copy.js';

/** Receives warnings and errors, as `console` and winston do. An error is in `fields.error`. */
export interface Logger {
  /** Details of normal operation. */
  debug(message: string, fields?: object): void;
  /** Normal events that are worth a line. */
  info(message: string, fields?: object): void;
  /** Something needs attention; the client continues. */
  warn(message: string, fields?: object): void;
  /** Something failed. `fields.error` is the error. */
  error(message: string, fields?: object): void;
}

/** A logger that takes the fields first, as pino and bunyan do; recognized by its `child` method. An error is in `fields.err`. */
export interface FieldsFirstLogger {
  /** Details of normal operation. */
  debug(fields: object, message: string): void;
  /** Normal events that are worth a line. */
  info(fields: object, message: string): void;
  /** Something needs attention; the client continues. */
  warn(fields: object, message: string): void;
  /** Something failed. `fields.err` is the error. */
  error(fields: object, message: string): void;
  /** Never called. It shows that the logger takes the fields first. */
  // biome-ignore lint/suspicious/noExplicitAny: only its presence matters; every library has other parameters.
  child(...parameters: any[]): unknown;
}

type Level = keyof Logger;
type Fields = { readonly error?: unknown };
type Write = (level: Level, message: string, fields?: Fields) => unknown;

const ignore = () => {};

export const silentLogger: Logger = Object.freeze({
  debug: ignore,
  info: ignore,
  warn: ignore,
  error: ignore,
});

/** The default: warnings and errors to the console. It reads the global at each call, because a test may replace it. */
export const consoleLogger: Logger = Object.freeze({
  ...silentLogger,
  warn: (message: string, fields?: object) => console.warn(message, ...(fields ? [fields] : [])),
  error: (message: string, fields?: object) => console.error(message, ...(fields ? [fields] : [])),
});

/** A logger that does the same with every level. */
export class LevelLogger implements Logger {
  readonly #write: Write;

  constructor(write: Write) {
    this.#write = write;
  }

  debug(message: string, fields?: object): void {
    this.#write('debug', message, fields);
  }

  info(message: string, fields?: object): void {
    this.#write('info', message, fields);
  }

  warn(message: string, fields?: object): void {
    this.#write('warn', message, fields);
  }

  error(message: string, fields?: object): void {
    this.#write('error', message, fields);
  }
}

/** The fields with what may be shown of their error. */
function withError(fields: Fields | undefined, mask?: (text: string) => string): Fields | undefined {
  if (fields?.error === undefined) return fields;
  return { ...fields, error: shownError(fields.error, mask) ?? 'a thrown value that is not an error' };
}

/**
 * Passes everything on, with the client's secrets masked in an error that an application has thrown.
 *
 * @param storeId - is added to every line.
 */
export function clientLogger(logger: Logger, mask: (text: string) => string, storeId?: string): Logger {
  return new LevelLogger((level, message, given) => {
    const fields = withError(given, mask);
    logger[level](message, storeId === undefined ? fields : { storeId, ...fields });
  });
}

/** Adapts any supported logger to `Logger`. What it throws is ignored, and what a promise of it rejects with. */
export function guardLogger(logger: Logger | FieldsFirstLogger): Logger {
  const write = writerOf(logger);
  return new LevelLogger((level, message, fields) => {
    try {
      const written = write(level, message, withError(fields));
      if (isThenable(written)) written.then(undefined, ignore);
    } catch {
      // The failure cannot be reported anywhere: the logger itself has failed.
    }
  });
}

function writerOf(logger: Logger | FieldsFirstLogger): Write {
  // winston has a `child` method too, but takes the message first.
  if (isWinston(logger)) return (level, message, fields) => logger[level](winstonEntry(message, fields));
  if (!isFieldsFirst(logger)) return (level, message, fields) => logger[level](message, fields);
  return (level, message, { error, ...rest }: Fields = {}) =>
    logger[level]({ ...rest, ...(error === undefined ? {} : { err: serializable(error) }) }, message);
}

/**
 * One object: of two parameters, winston drops the second if the first contains
 * a %. The message contains the error's message, because many formats of winston
 * print nothing else.
 */
function winstonEntry(message: string, { error, ...rest }: Fields = {}): object {
  if (error === undefined) return { message, ...rest };
  const reason = error instanceof Error ? error.message : String(error);
  return { message: `${message}: ${reason}`, ...rest, error: serializable(error) };
}

const isFieldsFirst = (logger: Logger | FieldsFirstLogger): logger is FieldsFirstLogger =>
  'child' in logger && typeof logger.child === 'function';

const isWinston = (logger: object): logger is Record<Level, (entry: object) => void> =>
  'transports' in logger && 'configure' in logger && typeof logger.configure === 'function';

/**
 * Wraps an error for libraries that write JSON, in which a plain Error is `{}`.
 *
 * The wrapper inherits from the error, so that a serializer such as pino's
 * finds `instanceof`, the message and the stack. Such serializers also set a
 * mark on each error they visit, which fails on a frozen one; here they set it
 * on the wrapper.
 */
function serializable(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const errors: unknown = Reflect.get(error, 'errors');
  return Object.create(error, {
    toJSON: { value: () => toPlain(error) },
    ...(Array.isArray(errors) ? { errors: { value: errors.map(serializable) } } : {}),
  });
}

/** How many nested causes are written; this also ends a cycle of causes. */
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
