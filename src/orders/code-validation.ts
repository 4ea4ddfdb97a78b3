import { BadRequestError } from '../errors.js';
import { fieldOf } from './already-there.js';
import type { CodeValidation } from './commands.js';

/** What the hub says of a code: it refuses a wrong one with 400. */
export async function validationOf(command: Promise<unknown>): Promise<CodeValidation> {
  try {
    await command;
    return { valid: true };
  } catch (error) {
    if (!(error instanceof BadRequestError)) throw error;
    return { valid: false, reason: titleOf(error.body) };
  }
}

/** The hub's explanation, if the body has the shape of the standard; otherwise the body. */
function titleOf(body: string): string {
  const title = fieldOf(body, 'title');
  return typeof title === 'string' ? title : body;
}
