import { COMMAND_EVENTS } from '../../orders/already-there.js';
import { type Duration, durationMs } from '../../testing/duration.js';
import type { FaultLike } from '../../testing/fault.js';
import { commandOf } from '../../testing/router.js';
import { isSuccess } from '../exchange.js';
import type { Requested } from './application.js';
import { acknowledged, expectCommand, look, requireData } from './expectations.js';
import { type Play, Unmet } from './play.js';
import { pushOrder } from './push.js';
import type { StepName, Steps } from './script.js';
import { commandsOf, PATIENCE, requestsTo, type Stage } from './stage.js';

/** A careful client renews no newer token: a hub that refuses all of them would use up its hour's token requests. */
const RENEWABLE_AFTER_MS = 5 * 60_000;

/** What each step does; see `Script`. A step that is not met throws `Unmet`. */
export const STEPS: {
  readonly [Name in StepName]: (play: Play, step: Steps[Name]) => void | Promise<void>;
} = {
  emit(play, { emit: type, metadata, times = 1 }) {
    const { mock, texts } = play.stage;
    const { orderId } = play.order;
    for (let count = 0; count < times; count += 1)
      mock.emit(type, { orderId, ...(metadata && { metadata }) });
    play.note(texts.emitted(type, times));
  },

  redeliver(play, { redeliver: type }) {
    const { mock, texts } = play.stage;
    const event = mock
      .emitted()
      .find((each) => each.orderId === play.order.orderId && each.eventType === type);
    if (event) mock.redeliver(event.eventId);
    play.note(texts.redelivered(type));
  },

  fault(play, { fault, at }) {
    play.stage.mock.faults.next(at, fault);
    play.note(play.stage.texts.faulty(at, nameOf(fault)));
  },

  async revokeTokens(play) {
    const { mock, clock, watch } = play.stage;
    const obtainedAt = requestsTo(play.stage, 'token').at(-1)?.at ?? 0;
    await watch.sleep(Math.max(0, obtainedAt + RENEWABLE_AFTER_MS - clock.now()));
    mock.revokeTokens();
    play.note(play.stage.texts.revoked);
  },

  async wait(play, { wait: duration }) {
    await play.stage.watch.sleep(duration);
    play.note(play.stage.texts.waited(String(duration)));
  },

  sends: (play, { sends: command }) => expectCommand(play, command),

  async do(play, { do: command, data }) {
    const { stage, order } = play;
    const { application, signal, texts } = stage;
    // An application that shows a command only after the event of the last one can be asked now.
    await acknowledged(play);
    const isAsked = !commandsOf(stage, order.orderId, command).some(isSuccess);
    if (isAsked) play.note(texts.asked(command, order.number));
    const { outcome, end }: Requested = isAsked
      ? await application.request({ ...order, command, data }, signal)
      : {};
    if (outcome !== undefined) play.note(outcome);
    await expectCommand(play, command).finally(end);
    if (data && isAsked && application.isExact) requireData(play, command, data);
  },

  shows: (play, { shows }) => look(play, 'shows', shows),
  hides: (play, { hides }) => look(play, 'hides', hides),
  acknowledges: (play) => acknowledged(play),

  async requests(play, { requests: endpoint }) {
    const { stage } = play;
    const before = requestsTo(stage, endpoint).length;
    const find = () => requestsTo(stage, endpoint).slice(before).find(isSuccess);
    const entry = await stage.watch.until(find, PATIENCE);
    const refusedTokens = entry ? [] : requestsTo(stage, 'token').filter((each) => !isSuccess(each));
    for (const each of [...refusedTokens, ...requestsTo(stage, endpoint).slice(before)])
      play.noteRequest(each);
    if (!entry) throw new Unmet('failed', stage.texts.notRequested(endpoint));
  },

  atMost(play, { atMost, of: command }) {
    const { texts } = play.stage;
    const { length } = commandsOf(play.stage, play.order.orderId, command);
    if (length > atMost) throw new Unmet('failed', texts.tooMany(length, command, atMost));
    play.note(texts.notTooMany(length, command));
  },

  async push(play, { push: kind, answers }) {
    const { texts, pushUrl } = play.stage;
    if (pushUrl === undefined) throw new Unmet('not seen', texts.noPushUrl);
    const status = await pushOrder(pushUrl, kind, play);
    const shown = String(status ?? texts.noResponse);
    play.note(texts.pushed(kind, shown));
    if (status === undefined || !answers.includes(status)) {
      throw new Unmet('failed', texts.wrongAnswer(shown, answers.join(', ')));
    }
  },

  keeps(play, { keeps: rules }) {
    const { mock, texts } = play.stage;
    const broken = mock.violations().filter(({ rule, endpoint }) => {
      // Counted by `polls`, which knows how exact a fast clock is.
      return rules.includes(rule) && !(rule === 'limit' && endpoint === 'polling');
    });
    for (const each of broken.slice(0, 5)) play.note(texts.broken(each), each.at);
    const [first] = broken;
    if (first) throw new Unmet('failed', texts.broken(first));
    play.note(texts.rulesKept(mock.requests.length));
  },

  strikes(play, { strikes: allowed }) {
    const { texts } = play.stage;
    const types = strikesOf(play.stage);
    if (types.length > allowed)
      throw new Unmet('failed', texts.strikes(types.length, [...new Set(types)].join(', ')));
    play.note(texts.noStrikes);
  },

  polls(play) {
    const { scale, texts } = play.stage;
    const at = requestsTo(play.stage, 'polling').map(({ monotonicAt }) => monotonicAt);
    if (at.length < 2) throw new Unmet('not seen', texts.noPoll);
    const [least, leastOfThree] = [Math.min(...gaps(at, 1)), Math.min(...gaps(at, 2))];
    if (leastOfThree < 60_000 - scale * JITTER_MS) {
      throw new Unmet('failed', texts.pollsTooClose(seconds(leastOfThree)));
    }
    play.note(texts.polls(at.length, seconds(least)));
  },

  async pollsEach(play, { pollsEach }) {
    const { clock, scale, texts, watch } = play.stage;
    const from = clock.monotonic();
    await watch.sleep(PACE_WATCHED);
    // A poll that was refused with 401 is sent again at once, with a new token.
    const polls = requestsTo(play.stage, 'polling').filter(({ status }) => status !== 401);
    const at = polls.map(({ monotonicAt }) => monotonicAt);
    if (at.length === 0) throw new Unmet('not seen', texts.noPoll);
    const earlier = at.findLast((each) => each <= from);
    const since = at.filter((each) => each >= (earlier ?? from));
    const everyMs = durationMs(pollsEach);
    const shortest = Math.min(...gaps(since, 1));
    if (shortest < everyMs - PACE_TOLERANCE_MS - scale * JITTER_MS) {
      throw new Unmet('failed', texts.pollsTooFast(seconds(shortest), seconds(everyMs)));
    }
    const longest = Math.max(...gaps([earlier ?? from, ...since, clock.monotonic()], 1));
    if (longest > everyMs * 1.5 + scale * STALL_MS) {
      throw new Unmet('failed', texts.pollsTooSlow(seconds(longest), seconds(everyMs)));
    }
  },

  tokens(play, { tokens: allowed }) {
    const { texts } = play.stage;
    const { length } = requestsTo(play.stage, 'token');
    if (length > allowed) throw new Unmet('failed', texts.tooManyTokens(length, allowed));
    play.note(texts.tokens(length));
  },

  authorizes(play) {
    const { mock, texts } = play.stage;
    const token = mock.requests.findIndex((entry) => entry.endpoint === 'token' && isSuccess(entry));
    const other = mock.requests.findIndex(
      ({ endpoint, status, headers }) =>
        endpoint !== 'token' &&
        endpoint !== 'merchant' &&
        // An application keeps its token until it expires, also that of an earlier rehearsal.
        !(status === 401 && headers.authorization !== undefined),
    );
    // If the rehearsal has ended early, it might have come.
    if (token < 0) play.stage.signal.throwIfAborted();
    if (token < 0) throw new Unmet('failed', texts.noToken);
    play.noteRequest(mock.requests[token] as (typeof mock.requests)[number]);
    if (other >= 0 && other < token) {
      throw new Unmet('failed', texts.tokenNotFirst(mock.requests[other]?.path ?? ''));
    }
    play.note(texts.tokenFirst);
  },

  async leaves(play, { leaves: what }) {
    const { mock, texts, watch } = play.stage;
    if (what === 'nothing pending') {
      const isDone = await watch.until(() => (mock.pending().length === 0 ? true : undefined), PATIENCE);
      const types = mock.pending().map(({ eventType, orderId }) => `${eventType} (${orderId})`);
      if (!isDone) throw new Unmet('failed', texts.notAcknowledged(types.slice(0, 5).join(', ')));
      return play.note(texts.nothingPending);
    }
    const refused = refusedCommands(play.stage);
    for (const entry of refused) play.noteRequest(entry);
    if (refused.length > 0)
      throw new Unmet('failed', texts.refused(refused.map(({ path }) => path).join(', ')));
    play.note(texts.nothingRefused);
  },
};

/** For so long, the pace of polls is watched. */
const PACE_WATCHED: Duration = '95s';

/** A timer of an application may be so much too early. */
const PACE_TOLERANCE_MS = 2000;

/** So much later, in real time, an application on a busy machine may poll. */
const STALL_MS = 1000;

/** From each instant to the one that is `distance` later in the list. */
const gaps = (at: readonly number[], distance: number) =>
  at.slice(distance).map((each, index) => each - (at[index] as number));

const seconds = (ms: number) => (ms / 1000).toFixed(1);

/** How late, in real time, a request may reach the mock hub. */
const JITTER_MS = 100;

const nameOf = (fault: FaultLike): string =>
  typeof fault === 'object' ? String('status' in fault ? fault.status : fault.type) : String(fault);

/** The types of the events that a poll had to bring again, because the application had not acknowledged them. */
function strikesOf({ mock }: Stage): readonly string[] {
  const open = new Set<string>();
  return mock.requests.flatMap(({ events = [], acknowledged = [] }) => {
    for (const id of acknowledged) open.delete(id);
    const again = events.filter(({ eventId }) => open.has(eventId));
    for (const { eventId } of events) open.add(eventId);
    return again.map(({ eventType }) => eventType);
  });
}

/** Commands that the hub refused, without those whose order was already where they lead. */
function refusedCommands(stage: Stage) {
  const { mock } = stage;
  return requestsTo(stage, 'orderStatus').filter((entry) => {
    const { status = 0, fault } = entry;
    if (fault || status < 400 || status === 401 || status === 429) return false;
    const { name = '', orderId } = commandOf(entry);
    const type = COMMAND_EVENTS.get(name);
    return !mock.emitted().some((event) => event.orderId === orderId && event.eventType === type);
  });
}
