import { tracingChannel } from 'node:diagnostics_channel';
import {
  type Attributes,
  type Link,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { ENDPOINTS, type Traces } from 'opendelivery-client';
import type { ContextStorage } from './context-storage.js';
import { messaging } from './messaging.js';
import { RecentEvents } from './recent-events.js';

/** How the operations of a channel become spans. */
interface Conversion<Context> {
  readonly name: (context: Context) => string;
  readonly kind: SpanKind;
  readonly links?: (context: Context) => Link[];
  readonly attributes: (context: Context) => Attributes;
  /** Called when it has ended well. */
  readonly onGood?: (context: Context, span: Span) => void;
}

/**
 * Makes a span of every operation, by the semantic conventions for messaging
 * and HTTP. A listener runs in the context of its span: spans of your database
 * become children of it.
 *
 * @returns a function that ends it.
 */
export function traceSpans(tracer: Tracer, contexts: ContextStorage): () => void {
  /** The span of the last poll that had the event. */
  const received = new RecentEvents<SpanContext>();
  const ends = [
    convert('opendelivery:poll', {
      name: () => 'poll events',
      kind: SpanKind.CLIENT,
      attributes: ({ eventIds = [] }) => ({
        ...messaging('poll'),
        'messaging.batch.message_count': eventIds.length,
      }),
      onGood: ({ eventIds = [] }, span) => {
        for (const eventId of eventIds) received.set(eventId, span.spanContext());
      },
    }),
    convert('opendelivery:listener', {
      name: () => 'process events',
      kind: SpanKind.CONSUMER,
      links: ({ eventIds }) => linksTo(eventIds),
      attributes: ({ eventIds, orderId, eventType, attempt }) => ({
        ...messaging('process'),
        'messaging.message.id': eventIds[0],
        'messaging.message.conversation_id': orderId,
        'opendelivery.event.type': eventType,
        'opendelivery.event.attempt': attempt,
      }),
    }),
    convert('opendelivery:acknowledge', {
      name: () => 'acknowledge events',
      kind: SpanKind.CLIENT,
      links: ({ eventIds }) => linksTo(eventIds),
      attributes: ({ eventIds }) => ({
        ...messaging('acknowledge'),
        'messaging.batch.message_count': eventIds.length,
      }),
      onGood: ({ eventIds }) => {
        for (const eventId of eventIds) received.delete(eventId);
      },
    }),
    convert('opendelivery:request', {
      name: ({ endpoint, method }) => `${method} ${ENDPOINTS[endpoint].path}`,
      kind: SpanKind.CLIENT,
      attributes: ({ endpoint, method, attempt, status }) => ({
        'http.request.method': method,
        'http.request.resend_count': attempt - 1,
        'http.response.status_code': status,
        'url.template': ENDPOINTS[endpoint].path,
      }),
    }),
    convert('opendelivery:token', {
      name: () => 'renew token',
      kind: SpanKind.INTERNAL,
      attributes: ({ background }) => ({ 'opendelivery.token.background': background }),
    }),
  ];

  function linksTo(eventIds: readonly string[]): Link[] {
    const contextsOfPolls = new Set(eventIds.map((eventId) => received.get(eventId)));
    return [...contextsOfPolls].flatMap((context) => (context ? [{ context }] : []));
  }

  function convert<Name extends keyof Traces>(name: Name, to: Conversion<Traces[Name]>): () => void {
    const channel = tracingChannel<unknown, Traces[Name]>(name);
    const spans = new WeakMap<object, Span>();
    // Not a subscriber of `start`: the work runs in what a bound store returns.
    channel.start.bindStore(contexts.storage, (context) => {
      const span = tracer.startSpan(to.name(context), { kind: to.kind, links: to.links?.(context) ?? [] });
      spans.set(context, span);
      return trace.setSpan(contexts.active(), span);
    });
    const onEnd = (message: unknown) => {
      const context = message as Traces[Name];
      const span = spans.get(context);
      // Undefined if it had started before.
      if (!span) return;
      span.setAttributes({ 'opendelivery.store.id': context.storeId, ...to.attributes(context) });
      if ('error' in context) fail(span, context.error);
      else to.onGood?.(context, span);
      span.end();
    };
    channel.asyncEnd.subscribe(onEnd);
    return () => {
      channel.asyncEnd.unsubscribe(onEnd);
      channel.start.unbindStore(contexts.storage);
    };
  }

  return () => {
    for (const end of ends) end();
  };
}

function fail(span: Span, error: unknown): void {
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  span.setAttribute('error.type', name);
  span.setStatus({ code: SpanStatusCode.ERROR, message });
}
