import { inspect } from 'node:util';
import type { Logger } from '../logger.js';
import type { Redactor } from './redactor.js';

/**
 * A logger that shows no secret, also not in an error that a listener of the
 * application has thrown: an HTTP client's error may contain the headers it sent.
 */
export function maskingLogger(logger: Logger, redactor: Redactor): Logger {
  const masked = (level: keyof Logger) => (message: string, fields?: object) => {
    const text = redactor.text(message);
    if (fields === undefined || !('error' in fields)) logger[level](text, fields);
    else logger[level](text, { ...fields, error: maskedError(fields.error, redactor) });
  };
  return { debug: masked('debug'), info: masked('info'), warn: masked('warn'), error: masked('error') };
}

/** The error itself if nothing that a logger could print of it is secret, otherwise a masked copy. */
function maskedError(error: unknown, redactor: Redactor): unknown {
  try {
    const shown = inspect(error, { depth: 8, showHidden: true, maxStringLength: null, maxArrayLength: null });
    if (redactor.text(shown) === shown) return error;
  } catch {
    // It cannot be looked at.
  }
  return redactor.cause(error);
}
