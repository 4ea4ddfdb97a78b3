import * as z from 'zod';
import { openEnum, wireObject } from './wire.js';

/** @see Spec §2.1 */
export const tokenResponseSchema = wireObject(
  {
    access_token: z.string(),
    token_type: openEnum(['bearer', 'Bearer']).optional(),
    expires_in: z.number().optional(),
  },
  { aliases: { accessToken: 'access_token', tokenType: 'token_type', expiresIn: 'expires_in' } },
);

/**
 * The response of the token endpoint. Some hubs spell the fields `accessToken`, `tokenType` and `expiresIn`; these
 * are read into the fields below (Spec §2.1).
 */
export type TokenResponse = {
  /** The bearer token, a JWT at this hub. Always present: without it, the response is not usable (Spec §2.1). */
  readonly access_token: string;
  /** Always `bearer` by Spec §2.1, in any letter case. The client does not need it, so absence means nothing. */
  readonly token_type?: 'bearer' | 'Bearer' | (string & {}) | undefined;
  /**
   * Lifetime in seconds, 604800 (7 days) by Spec §2.1. Some hubs send the instant of expiry in epoch milliseconds
   * instead. Absent: the client assumes one hour.
   */
  readonly expires_in?: number | undefined;
};
