import {
  type Attributes,
  type Context,
  context,
  createContextKey,
  type Link,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { BoundedMap } from '../../events/bounded-map.js';
import type { Traces } from '../channels.js';
import { runWithin, type Trace } from '../operation.js';
import { errorOf, http, httpResult, messaging, server } from './attributes.js';
import { follow } from './follow.js';

/** For how many events, at least, their poll is remembered. */
const MAX_EVENTS = 10_000;

/** How the operations of a channel become spans. */
interface Conversion<Operation> {
  readonly name: (operation: Operation) => string;
  readonly kind: SpanKind;
  /** Whether the span belongs to whatever is active. The others never belong to each other, see `parentContext`. */
  readonly isNested?: boolean;
  readonly links?: (operation: Operation) => Link[];
  /** What is known at the start: a sampler sees only that. */
  readonly atStart: (operation: Operation) => Attributes;
  readonly atEnd?: (operation: Operation) => Attributes;
  /** Called when it has ended well. */
  readonly onGood?: (operation: Operation, span: Span) => void;
}

/** @returns a function that ends it; spans under way end too. */
export function makeSpans(tracer: Tracer): () => void {
  /** The span of the last poll that had the event. Kept after the acknowledgment: with an inbox, the listener comes later. */
  const polls = new BoundedMap<string, SpanContext>(MAX_EVENTS);
  const linksTo = (eventIds: readonly string[]): Link[] => {
    const spans = new Set(eventIds.map((eventId) => polls.get(eventId)));
    return [...spans].flatMap((span) => (span ? [{ context: span }] : []));
  };
  const ends = [
    convert(tracer, 'opendelivery:poll', {
      name: () => 'poll events',
      kind: SpanKind.CLIENT,
      atStart: (poll) => ({ ...messaging('poll'), ...server(poll) }),
      atEnd: ({ eventIds = [] }) => ({ 'messaging.batch.message_count': eventIds.length }),
      onGood: ({ eventIds = [] }, span) => {
        for (const eventId of eventIds) polls.set(eventId, span.spanContext());
      },
    }),
    convert(tracer, 'opendelivery:listener', {
      name: () => 'process events',
      kind: SpanKind.CONSUMER,
      links: ({ eventIds }) => linksTo(eventIds),
      atStart: ({ eventIds: [eventId], orderId, eventType, attempt, redelivered, deadLetter }) => ({
        ...messaging('process'),
        'messaging.message.id': eventId,
        'messaging.message.conversation_id': orderId,
        'opendelivery.event.type': eventType,
        'opendelivery.event.attempt': attempt,
        'opendelivery.event.redelivered': redelivered,
        'opendelivery.event.dead_letter': deadLetter,
      }),
    }),
    convert(tracer, 'opendelivery:acknowledge', {
      name: () => 'acknowledge events',
      kind: SpanKind.CLIENT,
      links: ({ eventIds }) => linksTo(eventIds),
      atStart: (batch) => ({
        ...messaging('acknowledge'),
        ...server(batch),
        'messaging.batch.message_count': batch.eventIds.length,
      }),
    }),
    convert(tracer, 'opendelivery:request', {
      name: ({ method, path }) => `${method} ${path}`,
      kind: SpanKind.CLIENT,
      isNested: true,
      atStart: (request) => ({
        ...http(request),
        ...(request.attempt > 1 && { 'http.request.resend_count': request.attempt - 1 }),
      }),
      atEnd: httpResult,
    }),
    convert(tracer, 'opendelivery:token', {
      name: () => 'renew token',
      kind: SpanKind.INTERNAL,
      isNested: true,
      atStart: ({ background }) => ({ 'opendelivery.token.background': background }),
    }),
  ];
  return () => {
    for (const end of ends) end();
  };
}

function convert<Name extends keyof Traces>(
  tracer: Tracer,
  channel: Name,
  { name, kind, isNested, links, atStart, atEnd, onGood }: Conversion<Traces[Name]>,
): () => void {
  return follow<Name, Span>(channel, {
    begin(operation) {
      const around = isNested ? context.active() : parentContext();
      const attributes = { ...storeOf(operation), ...atStart(operation) };
      const options = { kind, attributes, ...(links && { links: links(operation) }) };
      const span = tracer.startSpan(name(operation), options, around);
      const own = trace.setSpan(around, span);
      const inside = isNested ? own : own.setValue(AROUND_OPERATION, around);
      runWithin(operation, (work) => context.with(inside, work));
      return span;
    },
    end(operation, span) {
      span.setAttributes({ ...errorOf(operation), ...atEnd?.(operation) });
      if ('error' in operation) span.setStatus(statusOf(operation));
      else onGood?.(operation, span);
      span.end();
    },
    abandon: (span) => span.end(),
  });
}

const storeOf = ({ storeId }: Trace): Attributes =>
  storeId === undefined ? {} : { 'opendelivery.store.id': storeId };

function statusOf({ error }: Trace): { code: SpanStatusCode; message: string } {
  return { code: SpanStatusCode.ERROR, message: error instanceof Error ? error.message : String(error) };
}

const AROUND_OPERATION = createContextKey('opendelivery-client: the context around an operation');

/**
 * The context that a poll, a call of a listener or a batch belongs to. What
 * follows from a listener would otherwise belong to its span: the
 * acknowledgment, the timer of the next poll, and so all that follows. For
 * the same reason a span that has ended is not a parent: pollers that were
 * started in it outlive it.
 */
function parentContext(): Context {
  const active = context.active();
  const around = (active.getValue(AROUND_OPERATION) as Context | undefined) ?? active;
  const span = trace.getSpan(around);
  if (!span || span.isRecording() || span.spanContext().isRemote) return around;
  return trace.deleteSpan(around);
}
