import { BadRequestError } from '../errors.js';
import type { CodeValidation } from './commands.js';

/** What the hub says of a code: it refuses a wrong one with 400. */
export async function validationOf(command: Promise<unknown>): Promise<CodeValidation> {
  try {
    await command;
    return { valid: true };
  } catch (error) {
    if (!(error instanceof BadRequestError)) throw error;
    return { valid: false, reason: error.title ?? 'the hub gives no reason' };
  }
}
