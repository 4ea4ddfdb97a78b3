import type { HubState } from '../hub-state.js';

/** A shorter credential could be a part of any word. The journal masks it where it is a value of its own. */
const MIN_LENGTH = 8;

/**
 * Masks every credential that the hub holds in JSON text. The journal has masked
 * those that it has recognized; this one also finds them in free text, such as
 * the reason of a cancellation.
 */
export function withoutCredentials(json: string, { stores, journal }: HubState): string {
  let text = journal.mask.ownTokens(json);
  for (const { credentials } of stores.all) {
    text = without(text, credentials.clientSecret, credentials.clientId, '[client secret]');
    text = without(text, credentials.apiKey, credentials.clientId, '[api key]');
  }
  return text;
}

function without(text: string, value: string, clientId: string, mask: string): string {
  // The client id is not a secret, and the page needs it.
  if (value.length < MIN_LENGTH || value === clientId) return text;
  const inJson = JSON.stringify(value).slice(1, -1);
  const masked = text.replaceAll(inJson, mask);
  const encoded = encodeURIComponent(value.replace(/\p{Surrogate}/gu, '\uFFFD'));
  return encoded === inJson ? masked : masked.replaceAll(encoded, mask);
}
