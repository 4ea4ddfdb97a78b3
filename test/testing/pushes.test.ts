import { createMockHub, ManualClock } from 'opendelivery-client/testing';
import { expect, it } from 'vitest';

it('a push that waits for its retry does not keep a process alive', async () => {
  const clock = new ManualClock();
  const mock = createMockHub({ clock });
  const busy = new Response(null, { status: 503, headers: { 'retry-after': '600' } });
  const pushing = mock.push(async () => busy.clone());
  mock.createOrder();
  await clock.advance('1s');
  expect(pushing.deliveries).toHaveLength(1);
  expect(clock.sleepers).toBe(0);
  await clock.advance('10m');
  expect(pushing.deliveries).toMatchObject([{ attempt: 1 }, { attempt: 2 }]);
});

it.each([
  ['the webhook has not answered in time', ({ clock }) => clock.advance('10s')],
  ['pushing is stopped', ({ pushing }) => pushing.stop()],
  ['the mock hub is reset', ({ mock }) => mock.reset()],
] satisfies [string, (made: ReturnType<typeof unanswered>) => unknown][])(
  'the request of a push is aborted when %s',
  async (_when, end) => {
    const made = unanswered();
    await made.clock.advance('1s');
    expect(made.sent.map(({ aborted }) => aborted)).toEqual([false]);
    await end(made);
    expect(made.sent[0]?.aborted).toBe(true);
  },
);

/** A hub that pushes an order to a webhook that never answers. */
function unanswered() {
  const clock = new ManualClock();
  const mock = createMockHub({ clock });
  const sent: AbortSignal[] = [];
  const pushing = mock.push(({ signal }) => {
    sent.push(signal);
    return new Promise(() => {});
  });
  mock.createOrder();
  return { clock, mock, pushing, sent };
}
