import type { Attributes } from '@opentelemetry/api';
import type { RequestTrace, ServerTrace } from '../channels.js';
import type { Trace } from '../operation.js';

const TYPES = { poll: 'receive', process: 'process', acknowledge: 'settle' } as const;

/** What the semantic conventions require of spans and metrics of messaging. */
export const messaging = (name: keyof typeof TYPES): Attributes => ({
  'messaging.system': 'opendelivery',
  'messaging.destination.name': 'events',
  'messaging.operation.name': name,
  'messaging.operation.type': TYPES[name],
});

export const server = ({ serverAddress, serverPort }: ServerTrace): Attributes => ({
  'server.address': serverAddress,
  'server.port': serverPort,
});

/** What is known of a request before it is sent. */
export const http = (request: RequestTrace): Attributes => ({
  'http.request.method': request.method,
  'url.template': request.path,
  ...server(request),
});

/** What is known of it afterwards. */
export const httpResult = (request: RequestTrace): Attributes => ({
  ...(request.status !== undefined && { 'http.response.status_code': request.status }),
  ...errorOf(request, request.status),
});

/** `error.type`, if the operation failed: the status of a response, else the name of the error. */
export function errorOf(context: Trace, status?: number): Attributes {
  if (!('error' in context)) return {};
  if (status !== undefined && (status < 200 || status > 299)) return { 'error.type': String(status) };
  return { 'error.type': context.error instanceof Error ? context.error.name : '_OTHER' };
}
