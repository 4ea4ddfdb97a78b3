import { inspect } from 'node:util';
import { EveryLevel, type Level, type Logger } from '../logger.js';
import type { Redactor } from './redactor.js';

/**
 * Passes everything on to a logger, with secrets masked in the message and in an
 * error that a listener of the application has thrown: an HTTP client's error,
 * for example, may contain the headers that it sent.
 */
export class MaskingLogger extends EveryLevel {
  readonly #logger: Logger;
  readonly #redactor: Redactor;

  constructor(logger: Logger, redactor: Redactor) {
    super();
    this.#logger = logger;
    this.#redactor = redactor;
  }

  protected write(level: Level, message: string, fields?: object): void {
    const text = this.#redactor.mask(message);
    if (fields === undefined || !('error' in fields)) this.#logger[level](text, fields);
    else this.#logger[level](text, { ...fields, error: withoutSecrets(fields.error, this.#redactor) });
  }
}

/** The error itself if nothing in it is secret, whatever a logger prints of it; otherwise a masked copy. */
function withoutSecrets(error: unknown, redactor: Redactor): unknown {
  try {
    const printed = inspect(error, {
      depth: 8,
      showHidden: true,
      maxStringLength: null,
      maxArrayLength: null,
    });
    if (redactor.mask(printed) === printed) return error;
  } catch {
    // A getter or a proxy throws: the error cannot be inspected.
  }
  return redactor.maskError(error);
}
