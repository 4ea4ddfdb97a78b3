import { ServerError } from 'opendelivery-client';
import { describe, expect, it } from 'vitest';
import { requestsTo, stage } from '../support.js';

/** A hub that fails with 500 where a request body contains that text. */
function failsFor(text: string, options: Parameters<typeof stage>[1] = {}) {
  const staged = stage(
    {},
    {
      retry: { attempts: 1 },
      fetch: (input, init) =>
        String(init?.body).includes(text)
          ? Promise.resolve(new Response('{}', { status: 500 }))
          : staged.mock.fetch(input as string, init),
      ...options,
    },
  );
  return staged;
}

describe('an acknowledgment that fails', () => {
  it('is reported once for all its events, beside the events that are acknowledged', async () => {
    const { clock, mock, hub } = failsFor('"NEW_TYPE"');
    const failed: unknown[] = [];
    const errors: unknown[] = [];
    const acknowledged: string[] = [];
    const poller = hub.poller();
    poller.on('event', () => {});
    poller.on('acknowledged', ({ eventIds }) => acknowledged.push(...eventIds));
    poller.on('acknowledgeFailed', (report) => failed.push(report));
    poller.on('error', (error) => errors.push(error));
    const { event } = mock.createOrder();
    // Types that the standard does not know travel in a request of their own.
    const others = ['1', '2', '3'].map(() => mock.emit('NEW_TYPE').eventId);
    await poller.start();
    await clock.advance('5s');
    expect(acknowledged).toEqual([event.eventId]);
    expect(failed).toEqual([{ eventIds: others, error: expect.any(ServerError) }]);
    expect(errors).toEqual([expect.any(ServerError)]);
    const report = await poller.stop();
    expect(report).toMatchObject({ handled: 4, acknowledged: 1 });
    expect([...report.unacknowledged].sort()).toEqual([...others].sort());
  });

  it('of all events is reported with their ids too, and in the log if nothing listens to error', async () => {
    const { clock, mock, hub, log } = failsFor('"CREATED"');
    const failed: unknown[] = [];
    const poller = hub.poller();
    poller.on('CREATED', () => {});
    poller.on('acknowledgeFailed', (report) => failed.push(report));
    const ids = [mock.createOrder(), mock.createOrder()].map(({ event }) => event.eventId);
    await poller.start();
    await clock.advance('5s');
    expect(failed).toEqual([{ eventIds: ids, error: expect.any(ServerError) }]);
    expect(log).toHaveLength(1);
    expect(log[0]).toContain('500');
    await poller.stop();
  });
});

describe('invalid', () => {
  it('is emitted for a poll with issues, and only then', async () => {
    const { clock, mock, hub } = stage();
    const issues: string[] = [];
    const poller = hub.poller();
    poller.on('event', () => {});
    poller.on('invalid', (report) => issues.push(report.issues.map(({ path }) => path.join('.')).join()));
    mock.createOrder();
    await poller.start();
    await clock.advance('65s');
    expect(requestsTo(mock, 'polling').length).toBeGreaterThan(2);
    expect(issues).toEqual([]);
    mock.emit('CONFIRMED', { createdAt: 'yesterday' });
    await clock.advance('31s');
    expect(issues).toEqual(['0.createdAt']);
    await clock.advance('65s');
    expect(issues).toHaveLength(1);
    await poller.stop();
  });
});

it('a second pause() changes nothing: one resume() ends both', async () => {
  const { clock, mock, hub } = stage();
  const poller = hub.poller();
  poller.on('CREATED', () => {});
  await poller.start();
  poller.pause();
  await clock.advance('1m');
  poller.pause();
  await clock.advance('1m');
  const before = requestsTo(mock, 'polling').length;
  expect(poller.health().status).toBe('paused');
  mock.createOrder();
  poller.resume();
  await clock.advance('35s');
  expect(requestsTo(mock, 'polling').length).toBeGreaterThan(before);
  expect(poller.health().status).toBe('running');
  expect(mock.pending()).toEqual([]);
  await poller.stop();
});

it('a hub that refuses everything is asked once for the batches of a call that are left', async () => {
  const { clock, mock, hub } = stage({ latencyMs: 1000 });
  const events = Array.from({ length: 1000 }, () => mock.emit('CREATED'));
  mock.faults.next('acknowledgment', 400, 10_000);
  const call = hub.events.acknowledge(events);
  await clock.advance('5m');
  expect((await call).rejected).toHaveLength(1000);
  const sizes = requestsTo(mock, 'acknowledgment').map(({ body }) => (JSON.parse(body) as unknown[]).length);
  // Four batches were under way before the first was found to be refused in every part.
  expect(sizes.filter((size) => size === 100)).toHaveLength(4);
});

it('a hub that has just refused everything is not asked part by part again, and later it is', async () => {
  const { clock, mock, hub } = stage();
  const events = Array.from({ length: 100 }, () => mock.emit('CREATED'));
  mock.faults.next('acknowledgment', 400, 10_000);
  const askedBy = async () => {
    const before = requestsTo(mock, 'acknowledgment').length;
    const call = hub.events.acknowledge(events);
    await clock.advance('10s');
    expect((await call).rejected).toHaveLength(100);
    return requestsTo(mock, 'acknowledgment').length - before;
  };
  expect(await askedBy()).toBeGreaterThan(5);
  expect(await askedBy()).toBe(1);
  await clock.advance('30s');
  expect(await askedBy()).toBe(1);
  mock.faults.clear();
  expect((await hub.events.acknowledge(events)).acknowledged).toHaveLength(100);
});
