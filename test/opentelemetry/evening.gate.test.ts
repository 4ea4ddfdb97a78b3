import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readText } from '../docs/blocks.js';
import { type ObservedEvening, observedEvening } from './evening.js';
import { readQuery, type Sample, samplesOf, selected } from './prometheus.js';

let evening: ObservedEvening;

beforeAll(async () => {
  evening = await observedEvening(1);
});

const spansOf = (name: string) => evening.spans.filter((span) => span.name === name);
const isGood = ({ status }: ReadableSpan) => status.code !== SpanStatusCode.ERROR;
const idOf = (span: ReadableSpan) => span.spanContext().spanId;

describe('the spans of an evening', () => {
  it('are one for each poll, call of a listener, batch, renewal and request', () => {
    const { mock, calls } = evening;
    const requests = evening.spans.filter(({ attributes }) => 'http.request.method' in attributes);
    expect(requests).toHaveLength(mock.requests.length);
    expect(spansOf('process events')).toHaveLength(calls);
    const eventIds = spansOf('process events').map(({ attributes }) => attributes['messaging.message.id']);
    expect(new Set(eventIds)).toEqual(new Set(mock.emitted().map(({ eventId }) => eventId)));
    const settled = spansOf('acknowledge events').filter(isGood);
    const counts = settled.map(({ attributes }) => attributes['messaging.batch.message_count'] as number);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(mock.acknowledged().length);
    expect(spansOf('renew token').map(isGood).sort()).toEqual([false, true, true, true]);
  });

  it('have the attributes of the semantic conventions for messaging and HTTP', () => {
    const received = spansOf('poll events').find(
      ({ attributes }) => attributes['messaging.batch.message_count'] === 1,
    );
    expect(received).toMatchObject({
      kind: SpanKind.CLIENT,
      attributes: {
        'messaging.system': 'opendelivery',
        'messaging.destination.name': 'events',
        'messaging.operation.name': 'poll',
        'messaging.operation.type': 'receive',
        'opendelivery.store.id': 'store-1',
        'server.address': 'hub.example',
        'server.port': 443,
      },
    });
    const failed = spansOf('process events').find((span) => !isGood(span));
    expect(failed).toMatchObject({
      kind: SpanKind.CONSUMER,
      status: { message: 'the printer is out of paper' },
      attributes: {
        'messaging.operation.type': 'process',
        'messaging.message.conversation_id': expect.any(String),
        'opendelivery.event.type': expect.any(String),
        'opendelivery.event.attempt': expect.any(Number),
        'error.type': 'TypeError',
      },
    });
    const [settled] = spansOf('acknowledge events');
    expect(settled).toMatchObject({
      kind: SpanKind.CLIENT,
      attributes: {
        'messaging.operation.type': 'settle',
        'messaging.batch.message_count': expect.any(Number),
      },
    });
    const refused = spansOf('GET /v1/events:polling').find((span) => !isGood(span));
    expect(refused).toMatchObject({
      kind: SpanKind.CLIENT,
      attributes: {
        'http.request.method': 'GET',
        'http.response.status_code': expect.any(Number),
        'url.template': '/v1/events:polling',
        'error.type': String(refused?.attributes['http.response.status_code']),
        'server.address': 'hub.example',
        'server.port': 443,
      },
    });
  });

  it('link each call of a listener to the poll that had the event', () => {
    const polls = new Map(spansOf('poll events').map((span) => [idOf(span), span]));
    for (const { links } of [...spansOf('process events'), ...spansOf('acknowledge events')]) {
      expect(links.length).toBeGreaterThan(0);
      for (const { context } of links) {
        const count = polls.get(context.spanId)?.attributes['messaging.batch.message_count'];
        expect(count).toBeGreaterThan(0);
      }
    }
  });

  it('are nested: the requests of a listener are children of its span', () => {
    const nested = (child: string, parent: string) => {
      const parents = new Set(spansOf(parent).map(idOf));
      const children = spansOf(child);
      expect(children.length).toBeGreaterThan(0);
      return children.filter(({ parentSpanContext: of }) => !of || !parents.has(of.spanId));
    };
    expect(nested('GET /v1/orders/{orderId}', 'process events')).toEqual([]);
    expect(nested('GET /v1/events:polling', 'poll events')).toEqual([]);
    expect(nested('POST /v1/events/acknowledgment', 'acknowledge events')).toEqual([]);
    expect(nested('POST /oauth/token', 'renew token')).toEqual([]);
  });
});

describe('the metrics of an evening', () => {
  const sum = (metric: string, matchers: Readonly<Record<string, string>> = {}, text = evening.metrics) => {
    const selector = {
      metric,
      matchers: Object.entries(matchers).map(([label, value]) => ({ label, operator: '=', value })),
    };
    return selected(samplesOf(text), selector).reduce((total, { value }) => total + value, 0);
  };

  it('count the polls, events, listeners, acknowledgments and tokens', () => {
    const { mock, calls } = evening;
    const sent = (endpoint: string) =>
      mock.requests.filter((request) => request.endpoint === endpoint).length;
    const polls = 'messaging_client_operation_duration_count';
    expect(sum('opendelivery_poll_lateness_count')).toBe(sent('polling'));
    expect(sum(polls, { messaging_operation_name: 'poll' })).toBeGreaterThanOrEqual(sent('polling'));
    expect(sum('messaging_process_duration_count')).toBe(calls);
    expect(sum('messaging_process_duration_count', { error_type: 'TypeError' })).toBeGreaterThan(0);
    expect(sum('messaging_client_consumed_messages_total')).toBeGreaterThanOrEqual(calls);
    expect(sum('opendelivery_acknowledgment_lag_count')).toBe(mock.acknowledged().length);
    expect(sum('opendelivery_token_renewals_total')).toBe(4);
    expect(sum('opendelivery_token_renewals_total', { error_type: 'AuthenticationError' })).toBe(1);
    expect(sum('opendelivery_backoff_delay_count')).toBeGreaterThan(0);
    expect(sum('http_client_request_duration_count')).toBe(mock.requests.length);
  });

  it('show the fleet', () => {
    const last = evening.scrapes.at(-1);
    expect(sum('opendelivery_fleet_stores', {}, last)).toBe(3);
    expect(sum('opendelivery_fleet_unacknowledged', {}, last)).toBe(0);
    expect(sum('opendelivery_fleet_oldest_poll', {}, last)).toBeGreaterThan(0);
    const newest = sum('opendelivery_fleet_newest_poll', {}, last);
    expect(newest).toBeLessThan(sum('opendelivery_fleet_oldest_poll', {}, last));
    for (const metric of ['opendelivery_fleet_oldest_open', 'opendelivery_fleet_failing_listeners']) {
      expect(sum(metric, {}, last)).toBe(0);
      expect(evening.scrapes.some((scrape) => sum(metric, {}, scrape) > 0)).toBe(true);
    }
  });

  it('and the spans are all in the tables of the guide', () => {
    const guide = readText('docs/observability.md');
    const exported = [...evening.metrics.matchAll(/^# TYPE (\w+) /gm)].map(([, name = '']) => name);
    const rows = guide.matchAll(/^\| `([\w.]+)` \| (counter|gauge|histogram)/gm);
    const listed = [...rows].map(
      ([, name = '', type]) => name.replaceAll('.', '_') + (type === 'counter' ? '_total' : ''),
    );
    expect(listed.sort()).toEqual(exported.filter((name) => name !== 'target_info').sort());
    for (const name of new Set(evening.spans.map((span) => span.name))) {
      expect(guide).toContain(`| \`${name.includes('/') ? 'GET /v1/events:polling' : name}\``);
    }
  });
});

describe('examples/grafana-dashboard.json', () => {
  interface Panel {
    readonly title: string;
    readonly description: string;
    readonly targets: ReadonlyArray<{ readonly expr: string; readonly legendFormat: string }>;
  }
  const { panels } = JSON.parse(readText('examples/grafana-dashboard.json')) as { panels: Panel[] };
  const queries = panels.flatMap(({ title, targets }) =>
    targets.map(({ expr, legendFormat }) => ({ title, expr, legendFormat })),
  );

  let scraped: Sample[][];
  beforeAll(() => {
    scraped = evening.scrapes.map(samplesOf);
  });

  it.each(queries)('has data for $title, $expr', ({ expr, legendFormat }) => {
    // Grafana replaces it.
    const { selectors, groupedBy } = readQuery(expr.replaceAll('$__rate_interval', '5m'));
    expect(selectors.length).toBeGreaterThan(0);
    const found = selectors.flatMap((selector) => {
      const ofSelector = scraped.flatMap((samples) => selected(samples, selector));
      expect(ofSelector.every(({ value }) => Number.isFinite(value))).toBe(true);
      expect(ofSelector.some(({ value }) => value > 0)).toBe(true);
      return ofSelector;
    });
    const labels = new Set(found.flatMap((sample) => [...sample.labels.keys()]));
    expect(groupedBy.filter((label) => !labels.has(label))).toEqual([]);
    const shown = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label);
    expect(shown.filter((label) => !groupedBy.includes(label as string))).toEqual([]);
  });

  it('shows every metric', () => {
    const exported = [...evening.metrics.matchAll(/^# TYPE (\w+) /gm)].map(([, name = '']) => name);
    const shown = queries.map(({ expr }) => expr).join(' ');
    expect(exported.filter((name) => name !== 'target_info' && !shown.includes(name))).toEqual([]);
    expect(panels.every(({ description }) => description.length > 10)).toBe(true);
  });
});

describe('examples/prometheus-alerts.yml', () => {
  const { groups } = parse(readText('examples/prometheus-alerts.yml')) as {
    groups: ReadonlyArray<{
      readonly rules: ReadonlyArray<{
        readonly alert: string;
        readonly expr: string;
        readonly annotations: Readonly<Record<string, string>>;
      }>;
    }>;
  };
  const rules = groups.flatMap((group) => group.rules);

  it.each(rules)('has data for $alert, and says what to do', ({ expr, annotations }) => {
    const { selectors } = readQuery(expr);
    expect(selectors.length).toBeGreaterThan(0);
    const all = [...evening.scrapes, evening.metrics].map(samplesOf);
    for (const selector of selectors) {
      const found = all.flatMap((samples) => selected(samples, selector));
      expect(found.length).toBeGreaterThan(0);
      expect(found.every(({ value }) => Number.isFinite(value))).toBe(true);
    }
    expect(Object.keys(annotations)).toEqual(['summary', 'action']);
  });
});
