import { ServerError } from 'opendelivery-client';
import { describe, expect, it } from 'vitest';
import { requestsTo, stage } from '../support.js';

/** A hub that replies 500 to a request whose body contains that string. */
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
  it('is reported once for all its events; the others are acknowledged', async () => {
    const { clock, mock, hub } = failsFor('"NEW_TYPE"');
    const failed: unknown[] = [];
    const errors: unknown[] = [];
    const acknowledged: string[] = [];
    const poller = hub.poller().on('event', () => {});
    poller.on('acknowledged', ({ eventIds }) => acknowledged.push(...eventIds));
    poller.on('acknowledgeFailed', (report) => failed.push(report));
    poller.on('error', (error) => errors.push(error));
    const { event } = mock.createOrder();
    // Types that the standard does not know are sent in a separate request.
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
});

describe('invalid', () => {
  it('is emitted for a poll with issues, and only then', async () => {
    const { clock, mock, hub } = stage();
    const issues: string[] = [];
    const poller = hub.poller().on('event', () => {});
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
  });
});
