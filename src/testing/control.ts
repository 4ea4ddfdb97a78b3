import { isObject, parseJson } from '../reading/json.js';
import { Console } from './console/console.js';
import type { Rehearsal } from './console/rehearsal.js';
import { CONTROL_ROUTES } from './control-routes.js';
import type { Json } from './fixtures.js';
import type { HubState } from './hub-state.js';
import type { MockHub } from './mock-hub.js';
import { decodedSegment } from './router.js';

type Respond = (request: Request) => Promise<Response>;

/** Serves the control API and the console under `/_mock/`, and passes all other requests to `respond`. */
export function controlled(mock: MockHub, state: HubState, respond: Respond, rehearsal?: Rehearsal): Respond {
  const { basePath, clock } = state.options;
  const page = new Console(state, rehearsal);
  return async (request) => {
    const { origin, pathname, searchParams } = new URL(request.url);
    const path = /^\/_mock(?:\/|$)(.*)/.exec(pathname)?.[1];
    if (path === undefined) return respond(request);
    const ofPage = /^ui(?:\/|$)/.test(path) ? await page.respond(request, path) : undefined;
    if (ofPage) return ofPage;
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    const { route, clientId } = find(method, path);
    if (clientId !== undefined && !state.stores.withClientId(clientId)) {
      return problem(
        404,
        `the mock hub has no store with clientId '${clientId}'; GET /_mock/stores lists them`,
      );
    }
    if (!route) {
      return problem(404, `the control API has no ${method} /_mock/${path}; GET /_mock/ lists all requests`);
    }
    try {
      const arrivedAt = clock.monotonic();
      const given = { ...(await readObject(request)), ...Object.fromEntries(searchParams) } as Json;
      const input = clientId === undefined ? given : ofStore(clientId, given);
      const result = await route.run(mock, input, {
        clock,
        reachable: (event) => state.reachableAt(origin + basePath, event),
      });
      page.record(`${method} ${route.path}`, input, result, arrivedAt);
      if (result === undefined) return json(200, { done: true });
      return json(method === 'POST' ? 201 : 200, result);
    } catch (error) {
      return problem(400, error instanceof Error ? error.message : String(error));
    }
  };
}

/** The route of a request, and the store whose path it has. */
function find(method: string, path: string) {
  const [, encoded, below] = /^stores\/([^/]+)\/(.*)$/.exec(path) ?? [];
  // No store has a segment whose percent-encoding is invalid.
  const clientId = encoded === undefined ? undefined : (decodedSegment(encoded) ?? encoded);
  const route = CONTROL_ROUTES.find(
    (each) =>
      each.method === method && each.path === (below ?? path) && (below === undefined || each.isOfStore),
  );
  return { route, clientId };
}

/** @throws {TypeError} the input names another store than the path. */
function ofStore(clientId: string, input: Json): Json {
  if (input.clientId !== undefined && input.clientId !== clientId) {
    throw new TypeError(`clientId: must be '${clientId}' as in the path, or absent`);
  }
  return { ...input, clientId };
}

/** @throws {TypeError} the body is not a JSON object. An empty body is an empty object. */
async function readObject(request: Request): Promise<object> {
  const text = await request.text();
  if (text.trim() === '') return {};
  const body = parseJson(text);
  if (body === undefined) throw new TypeError('the body is not valid JSON');
  if (!isObject(body)) throw new TypeError('the body must be a JSON object');
  if (isDeeper(body, MAX_DEPTH)) throw new TypeError(`the body is nested more than ${MAX_DEPTH} times`);
  return body;
}

/** What is nested deeper cannot be written as JSON again. */
const MAX_DEPTH = 100;

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((each) => isDeeper(each, levels - 1));
}

const problem = (status: number, title: string) => json(status, { title, status });

function json(status: number, body: unknown): Response {
  return new Response(`${JSON.stringify(body, undefined, 2)}\n`, {
    status,
    headers: { 'content-type': status >= 400 ? 'application/problem+json' : 'application/json' },
  });
}
