/** Where warnings and errors go. `console` fits, and so does pino behind a two-line wrapper. */
export interface Logger {
  debug(message: string, fields?: object): void;
  info(message: string, fields?: object): void;
  warn(message: string, fields?: object): void;
  error(message: string, fields?: object): void;
}

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

/** A logger whose own failure harms nothing. */
export function guardLogger(logger: Logger): Logger {
  const guard = (level: keyof Logger) => (message: string, fields?: object) => {
    try {
      logger[level](message, fields);
    } catch {
      // There is nowhere left to tell it.
    }
  };
  return { debug: guard('debug'), info: guard('info'), warn: guard('warn'), error: guard('error') };
}
