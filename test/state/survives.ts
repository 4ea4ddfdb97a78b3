import { isHubError, type State } from 'opendelivery-client';
import { createMockHub, ManualClock } from 'opendelivery-client/testing';
import { expect, onTestFinished } from 'vitest';
import { afterAdvance, clientOf, logged, requestsTo, stage } from '../support.js';

/** The messages of an error and of its causes. */
export function messagesOf(error: unknown): string {
  return error instanceof Error ? `${error.message}\n${messagesOf(error.cause)}` : '';
}

/** A state that is away from the beginning refuses polls and tokens, blocks nothing else, and is logged once. @returns the error of the poll. */
export async function expectNotBlocked(state: State): Promise<string> {
  const { lines, logger } = logged();
  const { clock, mock, hub } = stage({}, { state, logger });
  const calls = [hub.events.poll(), hub.merchant.get(), hub.auth.getToken()].map((call) =>
    call.then(
      () => 'answered',
      (error: unknown) => (isHubError(error) ? `${error.code}: ${messagesOf(error)}` : error),
    ),
  );
  const outcomes = await afterAdvance(clock, '30s', Promise.all(calls));
  const refused = expect.stringMatching(/^state: /);
  expect(outcomes).toEqual([refused, 'answered', refused]);
  expect([requestsTo(mock, 'polling').length, requestsTo(mock, 'merchant').length]).toEqual([0, 1]);
  expect(lines).toHaveLength(1);
  await hub.close();
  return outcomes[0] as string;
}

/**
 * An outage of a state stops the polls until its end; no event is lost, handled twice or acknowledged unhandled.
 *
 * @param begin - begins the outage, and resolves with its end.
 * @param error - in the errors that the application gets.
 * @returns the ids of the events. The one that was being handled when the outage began is the second one.
 */
export async function expectSurvived(
  stateAt: (clock: ManualClock) => State,
  begin: () => Promise<() => unknown>,
  error: RegExp,
): Promise<string[]> {
  const clock = new ManualClock();
  const mock = createMockHub({ clock, unansweredAfterMs: Number.POSITIVE_INFINITY });
  const { lines, logger } = logged();
  const { hub } = clientOf(mock, { clock, state: stateAt(clock), logger });
  const handled: string[] = [];
  const errors: string[] = [];
  let end: () => unknown = () => {};
  // Otherwise a failure would fail the tests after it.
  onTestFinished(async () => void (await end()));
  const poller = hub.poller().on('error', (thrown) => void errors.push(messagesOf(thrown)));
  poller.on('CREATED', async ({ eventId }) => {
    handled.push(eventId);
    // The outage begins while the listener handles the second event.
    if (handled.length !== 2) return;
    const release = clock.hold();
    end = await begin();
    release();
  });
  const create = () => mock.createOrder().event.eventId;
  const created = [create()];
  await poller.start();
  created.push(create());
  await clock.advance('40s');
  expect(handled).toEqual(created);
  // The mark could not be written: it is kept in memory, and the event is acknowledged.
  expect(mock.pending()).toEqual([]);
  const polls = requestsTo(mock, 'polling').length;
  created.push(create());
  await clock.advance('20m');
  expect(requestsTo(mock, 'polling')).toHaveLength(polls);
  expect(handled).toEqual(created.slice(0, 2));
  expect(errors.join('\n')).toMatch(error);
  expect(lines).toEqual([expect.stringMatching(/^warn: .*the state is unavailable/)]);

  await end();
  end = () => {};
  mock.redeliver(created[1] as string);
  await clock.advance('6m');
  expect(handled).toEqual(created);
  expect(mock.pending()).toEqual([]);
  expect(mock.violations()).toEqual([]);
  expect(lines.slice(1)).toEqual([expect.stringMatching(/^info: .*the state is available again/)]);
  await poller.stop();
  return created;
}
