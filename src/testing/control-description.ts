import * as z from 'zod';
import * as outputs from './control-output.js';
import type { ControlRoute } from './control-routes.js';
import type { Json } from './fixtures.js';

/** `GET /_mock/`, for people. */
export function listingOf(routes: readonly ControlRoute[]): Json {
  return {
    what: 'the control API of the mock hub; bodies are JSON objects',
    routes: routes.map(({ method, path, does, query, body, isOfStore }) => ({
      method,
      path: `/_mock/${path}`,
      does,
      ...(query !== undefined && { query }),
      ...(body !== undefined && { example: body as Json }),
      ...(isOfStore && { ofOneStore: `/_mock/stores/{clientId}/${path}` }),
    })),
  };
}

/** `GET /_mock/openapi.json`, for programs. */
export function openApiOf(routes: readonly ControlRoute[]): Json {
  const paths: Record<string, Record<string, Json>> = {};
  const add = (path: string, route: ControlRoute, ofStore: boolean) => {
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route, ofStore) };
  };
  for (const route of routes) {
    add(`/_mock/${route.path}`, route, false);
    if (route.isOfStore) add(`/_mock/stores/{clientId}/${route.path}`, route, true);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Control API of the mock hub',
      version: '1',
      description:
        'Creates orders and events at the mock hub, makes it fail, and says what the application did. The paths of ' +
        'one store change and show nothing of another one, so tests with a store each can run at the same time.',
    },
    servers: [{ url: '/' }],
    paths,
  };
}

const CLIENT_ID = { name: 'clientId', in: 'path', required: true, schema: { type: 'string' } };

function operationOf(
  { method, path, does, body, input, output, query }: ControlRoute,
  ofStore: boolean,
): Json {
  const { clientId, ...rest } = (input.properties ?? {}) as Record<string, Json>;
  // The path of the store has it.
  const properties: Record<string, Json> = {
    ...(clientId !== undefined && !ofStore && { clientId }),
    ...rest,
  };
  const required = (input.required ?? []) as readonly string[];
  const hasBody = method !== 'GET' && method !== 'DELETE';
  const inQuery = Object.keys(properties).filter((name) => !hasBody || name === query);
  const parameters = inQuery.map((name): Json => {
    const schema = properties[name] as Json;
    return { name, in: 'query', required: required.includes(name), schema };
  });
  if (ofStore) parameters.unshift(CLIENT_ID);
  const inBody = Object.fromEntries(Object.entries(properties).filter(([name]) => !inQuery.includes(name)));
  const { clientId: _, ...example } = (body ?? {}) as Json;
  const isCreated = method === 'POST' && output !== outputs.done;
  const words = [...path.split(/\W/), ...(ofStore ? ['of', 'store'] : [])];
  return {
    operationId: method.toLowerCase() + words.map(capitalised).join(''),
    summary: does,
    ...(parameters.length > 0 && { parameters }),
    ...(hasBody &&
      (Object.keys(inBody).length > 0 || input.additionalProperties !== false) && {
        requestBody: {
          required: required.length > 0,
          content: {
            'application/json': {
              schema: { ...input, properties: inBody },
              ...(body !== undefined && { example: ofStore ? example : (body as Json) }),
            },
          },
        },
      }),
    responses: {
      [isCreated ? '201' : '200']: response('done', output),
      '400': refusal('nothing has changed; the title says what to do'),
      ...(ofStore && { '404': refusal('no store has this clientId') }),
    },
  };
}

const response = (description: string, schema: z.ZodType, type = 'application/json'): Json => ({
  description,
  content: { [type]: { schema: jsonSchemaOf(schema, 'output') } },
});

const refusal = (description: string) => response(description, outputs.problem, 'application/problem+json');

const capitalised = (word: string) => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase();

/** In the dialect of OpenAPI 3.1. Any JSON value is `{}`. */
export function jsonSchemaOf(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  return rest as Json;
}
