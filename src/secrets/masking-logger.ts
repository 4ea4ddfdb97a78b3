import { inspect } from 'node:util';
import type { Logger } from '../logger.js';
import type { Redactor } from './redactor.js';

/**
 * Wraps a logger so that it receives no secret: neither in a message nor in an
 * error that a listener of the application has thrown. An HTTP client's error,
 * for example, may contain the headers that it sent.
 */
export function maskingLogger(logger: Logger, redactor: Redactor): Logger {
  const masked = (level: keyof Logger) => (message: string, fields?: object) => {
    const text = redactor.mask(message);
    if (fields === undefined || !('error' in fields)) logger[level](text, fields);
    else logger[level](text, { ...fields, error: withoutSecrets(fields.error, redactor) });
  };
  return { debug: masked('debug'), info: masked('info'), warn: masked('warn'), error: masked('error') };
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
