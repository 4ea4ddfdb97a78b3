import * as z from 'zod';
import { openEnum, wireObject } from './wire.js';

/**
 * The answer of the token endpoint. `expires_in` is seconds; some hosts send
 * none, a text, or an instant in epoch ms.
 *
 * @see Spec §2.1
 */
export const tokenResponseSchema = wireObject(
  {
    access_token: z.string(),
    token_type: openEnum(['bearer', 'Bearer']).optional(),
    expires_in: z.number().optional(),
  },
  { aliases: { accessToken: 'access_token', tokenType: 'token_type', expiresIn: 'expires_in' } },
);

export type TokenResponse = z.output<typeof tokenResponseSchema>;
