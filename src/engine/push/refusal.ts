import { PushRefusedError } from '../../errors/index.js';

/** The hub should send it again later. */
export const notNow = (why: string) => new PushRefusedError(503, why);

const HEADERS: { readonly [Status in PushRefusedError['status']]?: Readonly<Record<string, string>> } = {
  405: { allow: 'POST' },
  503: { 'retry-after': '30' },
};

/** The error body of the standard. */
export function refused({ status, message }: PushRefusedError): Response {
  return new Response(JSON.stringify({ title: message, status }), {
    status,
    headers: { 'content-type': 'application/problem+json', ...HEADERS[status] },
  });
}
