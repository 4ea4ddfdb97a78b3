import { tracingChannel } from 'node:diagnostics_channel';
import { context, diag, TraceFlags, trace } from '@opentelemetry/api';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { ConfigurationError, HubClient } from 'opendelivery-client';
import { instrument } from 'opendelivery-client/opentelemetry';
import { createMockHub } from 'opendelivery-client/testing';
import { expect, it, onTestFinished, vi } from 'vitest';
import { memoryInbox } from '../inbox/support.js';
import { afterAdvance, gate, stage } from '../support.js';
import { CHANNELS } from '../tracing/support.js';
import { Telemetry } from './telemetry.js';

function telemetryStage() {
  const { hub, mock, clock } = stage();
  const telemetry = new Telemetry(clock);
  onTestFinished(() => telemetry.end());
  return { hub, mock, clock, telemetry };
}

const isSubscribed = () => CHANNELS.filter((name) => tracingChannel(name).hasSubscribers);

it('instrument() throws at a second call, and can be called again after the end', async () => {
  const end = instrument();
  onTestFinished(end);
  expect(() => instrument()).toThrow(ConfigurationError);
  expect(() => instrument()).toThrow(/first call the function that it returned/);
  await end();
  expect(isSubscribed()).toEqual([]);
  const endAgain = instrument();
  onTestFinished(endAgain);
  // The first one has ended: its function has no effect on the second.
  await end();
  expect(isSubscribed()).toEqual(CHANNELS);
  expect(() => instrument()).toThrow(ConfigurationError);
});

it.each([
  [{ exporter: {} }, /^exporter: is not an option; the options are tracerProvider, meterProvider, fleet$/],
  [{ tracerProvider: {} }, /^tracerProvider: .*it has no getTracer\(\)/],
  [{ meterProvider: 7 }, /^meterProvider: must be a MeterProvider/],
  [{ fleet: Promise.resolve() }, /^fleet: .*it is a promise, await it/],
])('instrument(%o) throws and subscribes to nothing', (options, message) => {
  expect(() => instrument(options as object)).toThrow(message);
  expect(isSubscribed()).toEqual([]);
});

it('ends the spans under way, and makes none afterwards', async () => {
  const { hub, mock, clock, telemetry } = telemetryStage();
  const end = telemetry.instrument();
  const slow = gate();
  const poller = hub.poller().on('CREATED', () => slow.promise);
  mock.createOrder();
  const running = poller.runOnce();
  await clock.advance('1s');
  const flushed = vi.spyOn(telemetry.tracerProvider, 'forceFlush');
  await end();
  expect(flushed).toHaveBeenCalledOnce();
  const names = telemetry.spans.map(({ name }) => name);
  expect(names).toContain('process events');
  slow.open();
  await running;
  expect(telemetry.spans.map(({ name }) => name)).toEqual(names);
});

it('resolves and tells the diagnostics of OpenTelemetry when the last export fails', async () => {
  const { telemetry } = telemetryStage();
  const error = vi.fn();
  diag.setLogger({ error, warn() {}, info() {}, debug() {}, verbose() {} });
  onTestFinished(() => diag.disable());
  vi.spyOn(telemetry.tracerProvider, 'forceFlush').mockRejectedValue(new Error('no collector'));
  await telemetry.instrument()();
  expect(error).toHaveBeenCalledWith(
    expect.stringContaining('an export at the end failed'),
    expect.any(Error),
  );
});

it('goes on without spans if a sampler throws, and tells the diagnostics of OpenTelemetry', async () => {
  const { hub, mock } = telemetryStage();
  const error = vi.fn();
  diag.setLogger({ error, warn() {}, info() {}, debug() {}, verbose() {} });
  onTestFinished(() => diag.disable());
  const shouldSample = () => {
    throw new Error('a broken sampler');
  };
  const end = instrument({
    tracerProvider: new BasicTracerProvider({ sampler: { shouldSample, toString: () => 'broken' } }),
  });
  onTestFinished(end);
  mock.createOrder();
  const poller = hub.poller().on('CREATED', () => {});
  expect(await poller.runOnce()).toMatchObject({ handled: 1 });
  expect(error).toHaveBeenCalledWith(expect.stringContaining('telemetry failed'), expect.any(Error));
});

it('names the server of each request: the port of the scheme, and an IPv6 address without brackets', async () => {
  const { telemetry, mock } = telemetryStage();
  onTestFinished(telemetry.instrument());
  const polled = async (baseUrl: string) => {
    const { fetch, credentials } = createMockHub({ baseUrl });
    const hub = new HubClient({ baseUrl, fetch, ...credentials, logger: false });
    await hub.events.poll();
    const last = telemetry.spans.findLast(({ name }) => name === 'GET /v1/events:polling');
    return [last?.attributes['server.address'], last?.attributes['server.port']];
  };
  expect(await polled(mock.baseUrl)).toEqual(['hub.example', 443]);
  expect(await polled('http://127.0.0.1:8080')).toEqual(['127.0.0.1', 8080]);
  expect(await polled('http://[::1]')).toEqual(['::1', 80]);
});

it('makes a poll a child of a span that is under way, and a root in one that is not sampled', async () => {
  const { hub, mock, telemetry } = telemetryStage();
  onTestFinished(telemetry.instrument());
  const poller = hub.poller().on('CREATED', () => {});
  const cron = telemetry.tracerProvider.getTracer('application').startSpan('cron');
  mock.createOrder();
  await context.with(trace.setSpan(context.active(), cron), () => poller.runOnce());
  const parentsOf = (names: readonly string[]) =>
    names.map((name) => telemetry.spans.findLast((span) => span.name === name)?.parentSpanContext?.spanId);
  const { spanId } = cron.spanContext();
  const all = ['poll events', 'process events', 'acknowledge events'];
  expect(parentsOf(all)).toEqual([spanId, spanId, spanId]);
  const unsampled = trace.wrapSpanContext({
    traceId: 'a'.repeat(32),
    spanId: 'b'.repeat(16),
    traceFlags: TraceFlags.NONE,
  });
  mock.createOrder();
  await context.with(trace.setSpan(context.active(), unsampled), () => poller.runOnce());
  expect(parentsOf(all)).toEqual([undefined, undefined, undefined]);
  expect(telemetry.spans.filter(({ name }) => name === 'poll events')).toHaveLength(2);
});

it('numbers a request that is sent again, and takes the status for its error', async () => {
  const { hub, mock, clock, telemetry } = telemetryStage();
  onTestFinished(telemetry.instrument());
  mock.faults.next('merchant', 503);
  mock.faults.next('merchant', 'reset');
  await afterAdvance(clock, '3m', hub.merchant.get());
  const sent = telemetry.spans.filter(({ name }) => name === 'GET /v1/merchant');
  expect(
    sent.map(({ attributes }) => [
      attributes['http.request.resend_count'],
      attributes['http.response.status_code'],
      attributes['error.type'],
    ]),
  ).toEqual([
    [undefined, 503, '503'],
    [1, undefined, 'ConnectionError'],
    [2, 200, undefined],
  ]);
});

it('uses the providers that are passed, not the global ones', async () => {
  const { hub, telemetry } = telemetryStage();
  const other = new InMemorySpanExporter();
  trace.setGlobalTracerProvider(
    new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(other)] }),
  );
  onTestFinished(() => trace.disable());
  const end = telemetry.instrument();
  await hub.events.poll();
  await end();
  expect(telemetry.spans.length).toBeGreaterThan(0);
  expect(other.getFinishedSpans()).toEqual([]);
  onTestFinished(instrument());
  await hub.events.poll();
  expect(other.getFinishedSpans().length).toBeGreaterThan(0);
  expect(await telemetry.scrape()).toContain('otel_scope_name="opendelivery-client"');
});

it('links the listener of a stored event to the poll, although the acknowledgment came first', async () => {
  const { hub, mock, clock, telemetry } = telemetryStage();
  onTestFinished(telemetry.instrument());
  const { inbox } = await memoryInbox();
  const slow = gate();
  let attempts = 0;
  const poller = hub.poller({ inbox }).on('CREATED', async () => {
    attempts += 1;
    if (attempts === 1) throw new Error('the printer is out of paper');
    slow.open();
  });
  poller.on('error', () => {});
  mock.createOrder();
  const started = poller.start();
  await clock.advance('2m');
  await Promise.all([started, slow.promise]);
  await afterAdvance(clock, '1s', poller.stop());
  const names = telemetry.spans.map(({ name }) => name);
  expect(names.indexOf('acknowledge events')).toBeLessThan(names.lastIndexOf('process events'));
  const polls = telemetry.spans.filter(({ name }) => name === 'poll events');
  const again = telemetry.spans.findLast(({ name }) => name === 'process events');
  expect(again?.attributes['opendelivery.event.attempt']).toBe(2);
  expect(polls.map((poll) => poll.spanContext().spanId)).toContain(again?.links[0]?.context.spanId);
});
