/** Why a push is not accepted. The hub sends it again, or a poll brings the event. */
export interface Refusal {
  readonly status: 400 | 401 | 403 | 404 | 405 | 408 | 413 | 503;
  /** One sentence for the hub's operator, without data of the event. */
  readonly title: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The hub should send it again later. */
export const notNow = (title: string): Refusal => ({ status: 503, title, headers: { 'retry-after': '30' } });

/** The error body of the standard. */
export function refused({ status, title, headers }: Refusal): Response {
  return new Response(JSON.stringify({ title, status }), {
    status,
    headers: { 'content-type': 'application/problem+json', ...headers },
  });
}
