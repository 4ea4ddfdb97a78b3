/** @module-tag slow */
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { MockHub } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { CONTROL_ROUTES } from '../../src/testing/control-routes.js';
import { servedConsole } from './console/support.js';

interface Content {
  readonly 'application/json'?: { readonly schema: object; readonly example?: Record<string, unknown> };
  readonly 'application/problem+json'?: { readonly schema: object };
}

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly required: boolean }[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content: Content }>>;
}

type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

/** Every key that is absent is allowed: the test compares what is there. */
const ajv = new Ajv2020({ strict: false });

async function described() {
  const { mock, url } = await servedConsole();
  const response = await fetch(`${url}/_mock/openapi.json`);
  const document = (await response.json()) as { readonly openapi: string; readonly paths: Paths };
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  return { mock, url, document, operations, status: response.status };
}

/** Ids that exist at the hub, in place of those of the examples. */
function bodyOf(operation: Operation, mock: MockHub) {
  const { example } = operation.requestBody?.content['application/json'] ?? {};
  const { event } = mock.createOrder();
  const ids = { orderId: event.orderId, eventId: event.eventId };
  return (
    example && { ...example, ...Object.fromEntries(Object.entries(ids).filter(([key]) => key in example)) }
  );
}

describe('GET /_mock/openapi.json', () => {
  it('is a valid document of OpenAPI 3.1', async () => {
    const { document, status } = await described();
    expect([status, document.openapi]).toEqual([200, '3.1.0']);
    const { valid, errors } = await new Validator().validate(structuredClone(document));
    expect([valid, errors]).toEqual([true, undefined]);
    const broken = { ...structuredClone(document), info: {} };
    expect((await new Validator().validate(broken)).valid).toBe(false);
  });

  it('describes every request of the control API, and nothing else', async () => {
    const { operations } = await described();
    const all = CONTROL_ROUTES.flatMap(({ method, path, isOfStore }) => [
      `${method} /_mock/${path}`,
      ...(isOfStore ? [`${method} /_mock/stores/{clientId}/${path}`] : []),
    ]);
    expect(operations.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(all.sort());
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    const ofStore = operations.filter(({ path }) => path.includes('{clientId}')).map(({ path }) => path);
    expect([...new Set(ofStore)].map((path) => path.split('/').at(-1)).sort()).toEqual([
      'events',
      'faults',
      'orders',
      'requests',
      'reset',
      'violations',
    ]);
  });

  it('names the store of a path of one store in that path only', async () => {
    const { operations } = await described();
    const ofStore = operations.filter(({ path }) => path.includes('{clientId}'));
    expect(ofStore.length).toBeGreaterThan(8);
    for (const { operation } of ofStore) {
      expect(operation.parameters).toEqual([
        { name: 'clientId', in: 'path', required: true, schema: { type: 'string' } },
      ]);
      expect(JSON.stringify(operation.requestBody ?? {})).not.toContain('clientId');
    }
  });

  it('describes requests that work, and the responses that come', async () => {
    const { mock, url, operations } = await described();
    await mock.fetch(`${mock.baseUrl}/opendelivery/v1/merchant`, {
      headers: { 'x-api-key': 'mock-api-key' },
    });
    for (const { path, method, operation } of operations) {
      const name = `${method} ${path}`;
      const body = bodyOf(operation, mock);
      const { requestBody } = operation;
      if (requestBody) {
        const { schema } = requestBody.content['application/json'] ?? { schema: false };
        expect(ajv.validate(schema, body ?? {}), `${name}: ${ajv.errorsText()}`).toBe(true);
        expect(ajv.validate(schema, 7), name).toBe(false);
      }
      const response = await fetch(url + path.replace('{clientId}', '1001'), {
        method,
        ...(body && { body: JSON.stringify(body) }),
      });
      const answer: unknown = await response.json();
      // A clock that stands still has no speed; everything else is as in the description.
      const { content } = operation.responses[response.status] ?? {};
      expect(content, `${name}: ${response.status} ${JSON.stringify(answer).slice(0, 300)}`).toBeDefined();
      expect(response.status, JSON.stringify(answer)).toBeLessThan(300);
      const { schema } = content?.['application/json'] ?? { schema: false };
      expect(ajv.validate(schema, answer), `${name}: ${ajv.errorsText()}`).toBe(true);
    }
  });

  it('describes the responses to mistakes', async () => {
    const { url, operations } = await described();
    for (const { path, method, operation } of operations) {
      const wrong = `${url}${path.replace('{clientId}', 'nobody')}?unknown=key`;
      const { status, ...response } = await fetch(wrong, { method }).then(async (each) => ({
        status: each.status,
        answer: (await each.json()) as unknown,
      }));
      const isLoose = /POST .*events$|(?:PUT|PATCH) .*merchant$/.test(`${method} ${path}`) && status !== 404;
      if (isLoose && status === 200) continue; // any key goes into the document
      expect(status).toBe(path.includes('{clientId}') ? 404 : 400);
      const { schema } = operation.responses[status]?.content['application/problem+json'] ?? {
        schema: false,
      };
      expect(ajv.validate(schema, response.answer), ajv.errorsText()).toBe(true);
    }
  });
});
