import { isObject, parseJson } from '../reading/json.js';
import { Console } from './console/console.js';
import { CONTROL_ROUTES } from './control-routes.js';
import type { Json } from './fixtures.js';
import type { HubState } from './hub-state.js';
import type { MockHub } from './mock-hub.js';

type Respond = (request: Request) => Promise<Response>;

/** Serves the control API and the console under `/_mock/`, and passes all other requests to `respond`. */
export function controlled(mock: MockHub, state: HubState, respond: Respond): Respond {
  const { clock } = state.options;
  const page = new Console(state);
  return async (request) => {
    const { pathname, searchParams } = new URL(request.url);
    const path = /^\/_mock(?:\/(.*))?$/.exec(pathname)?.[1] ?? (pathname === '/_mock' ? '' : undefined);
    if (path === undefined) return respond(request);
    if (path === '') return json(200, description());
    const ofPage = /^ui(?:\/|$)/.test(path) ? await page.respond(request, path) : undefined;
    if (ofPage) return ofPage;
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    const route = CONTROL_ROUTES.find((each) => each.path === path && each.method === method);
    if (!route) {
      return problem(404, `the control API has no ${method} /_mock/${path}; GET /_mock/ lists all requests`);
    }
    try {
      const arrivedAt = clock.monotonic();
      const input = { ...(await readObject(request)), ...Object.fromEntries(searchParams) } as Json;
      const result = await route.run(mock, input, clock);
      page.record(`${method} ${path}`, input, result, arrivedAt);
      if (result === undefined) return json(200, { done: true });
      return json(method === 'POST' ? 201 : 200, result);
    } catch (error) {
      return problem(400, error instanceof Error ? error.message : String(error));
    }
  };
}

function description(): unknown {
  return {
    what: 'the control API of the mock hub; bodies are JSON objects',
    routes: CONTROL_ROUTES.map(({ method, path, does, query, body }) => ({
      method,
      path: `/_mock/${path}`,
      does,
      ...(query !== undefined && { query }),
      ...(body !== undefined && { example: body }),
    })),
  };
}

/** @throws {TypeError} the body is not a JSON object. An empty body is an empty object. */
async function readObject(request: Request): Promise<object> {
  const text = await request.text();
  if (text.trim() === '') return {};
  const body = parseJson(text);
  if (body === undefined) throw new TypeError('the body is not valid JSON');
  if (!isObject(body)) throw new TypeError('the body must be a JSON object');
  return body;
}

const problem = (status: number, title: string) => json(status, { title, status });

function json(status: number, body: unknown): Response {
  return new Response(`${JSON.stringify(body, undefined, 2)}\n`, {
    status,
    headers: { 'content-type': status >= 400 ? 'application/problem+json' : 'application/json' },
  });
}
