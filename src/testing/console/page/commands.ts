import { announce } from './announce.js';
import { t } from './texts.js';

/** Sends a request to the control API, and announces its outcome. True: it was successful. */
export async function command(method: string, path: string, body?: unknown, done?: string): Promise<boolean> {
  const { ok, title } = await request(method, path, body);
  if (ok) announce(done ?? t().done, 'good');
  else announce(title, 'bad');
  return ok;
}

export interface Answer {
  readonly ok: boolean;
  readonly body: unknown;
  readonly title: string;
}

export async function request(method: string, path: string, body?: unknown): Promise<Answer> {
  try {
    const response = await fetch(`/_mock/${path}`, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const answer: unknown = await response.json();
    const title = String((answer as { title?: unknown } | null)?.title ?? response.status);
    return { ok: response.ok, body: answer, title };
  } catch {
    return { ok: false, body: undefined, title: t().unreachable };
  }
}
