import type { ResolvedProfile } from '../host-profile.js';
import type { HubState } from './hub-state.js';
import { type MockResponse, problem } from './response.js';
import type { MockRequest } from './router.js';

/** Refuses a request without the headers that the host requires. */
export function refuseHeaders({ endpoint, headers }: MockRequest, state: HubState): MockResponse | undefined {
  const { profile } = state.options;
  const names = Object.keys(profile.headers);
  const wrong = names.find((name) => headers.get(name) !== profile.headers[name]);
  if (wrong === undefined) return undefined;
  state.violate(
    'host-header',
    endpoint,
    `the header ${wrong}, which this host requires, is missing or wrong`,
  );
  return problem(401, `${wrong} is missing or wrong`);
}

/** What is wrong with the signature of a request; undefined: nothing. The host's own signer decides. */
export async function mistakeInSignature(
  { method, headers, body }: MockRequest,
  url: string,
  sign: NonNullable<ResolvedProfile['sign']>,
): Promise<string | undefined> {
  try {
    const signature = await sign({ method, url, headers: Object.fromEntries(headers), body });
    const wrong = Object.keys(signature).find((name) => headers.get(name) !== signature[name]);
    return wrong && `the header ${wrong} is ${headers.has(wrong) ? 'not the right signature' : 'missing'}`;
  } catch (error) {
    return `the signature cannot be checked: ${error instanceof Error ? error.message : String(error)}`;
  }
}
