import { createHmac, timingSafeEqual } from 'node:crypto';

/** The length of an HMAC-SHA256 in hex. */
const HEX = /^[0-9a-f]{64}$/i;

/** Whether a string can be a signature at all. */
export const isSignature = (text: string): boolean => HEX.test(text);

/**
 * Whether the signature is the HMAC-SHA256 of the bytes with one of the secrets, in hex. It takes the same time
 * whichever secret fits, and whichever digit differs.
 */
export function isSignedBy(bytes: Uint8Array, signature: string, secrets: readonly string[]): boolean {
  if (!isSignature(signature)) return false;
  const given = Buffer.from(signature, 'hex');
  let fits = false;
  for (const secret of secrets) {
    const isEqual = timingSafeEqual(createHmac('sha256', secret).update(bytes).digest(), given);
    fits ||= isEqual;
  }
  return fits;
}
