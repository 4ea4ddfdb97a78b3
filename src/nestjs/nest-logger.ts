import { Logger as NestLogger } from '@nestjs/common';
import { EveryLevel, type Level } from '../observe/logger.js';

/** The logger of the application, which `app.useLogger` sets. An error is in the text of its line, and its stack follows. */
export class LoggerOfNest extends EveryLevel {
  readonly #logger = new NestLogger('OpenDelivery');

  protected write(level: Level, message: string, fields: { readonly error?: unknown } = {}): void {
    const { error, ...others } = fields;
    const details = Object.keys(others).length > 0 ? ` ${JSON.stringify(others)}` : '';
    const text = `${message}${error instanceof Error ? `: ${error.message}` : ''}${details}`;
    if (level === 'error') this.#logger.error(text, error instanceof Error ? error.stack : undefined);
    else this.#logger[level === 'info' ? 'log' : level](text);
  }
}
