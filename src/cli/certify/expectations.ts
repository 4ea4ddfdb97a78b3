import type { NextCommand } from '../../progress/next-commands.js';
import { parseJson } from '../../reading/json.js';
import { systemClock } from '../../time/clock.js';
import { isSuccess } from '../exchange.js';
import { DETAILS, type DetailName } from './details.js';
import { isShown, lookedFor, plainText } from './find-detail.js';
import { type Play, Unmet } from './play.js';
import { commandsOf, PATIENCE } from './stage.js';

/** What a step waits for. An expectation that is not met throws `Unmet`. */

/** Waits until the hub has accepted a command of the item's order. */
export async function expectCommand(play: Play, command: NextCommand): Promise<void> {
  const { stage, order } = play;
  const sent = () => commandsOf(stage, order.orderId, command);
  const accepted = await stage.watch.until(() => sent().find(isSuccess), PATIENCE);
  for (const entry of sent()) play.noteRequest(entry);
  if (accepted) return;
  const statuses = sent().map(({ status }) => status ?? stage.texts.noResponse);
  throw new Unmet(
    'failed',
    statuses.length > 0
      ? stage.texts.onlyRefused(command, statuses.join(', '))
      : stage.texts.notSent(command),
  );
}

/** The command that the hub has accepted must have this data. */
export function requireData(play: Play, command: NextCommand, data: object): void {
  const { stage, order } = play;
  const entry = commandsOf(stage, order.orderId, command).find(isSuccess);
  const body: Record<string, unknown> = Object(parseJson(entry?.body ?? ''));
  const missing = Object.entries(data).find(([key, value]) => body[key] !== value);
  if (missing) throw new Unmet('failed', stage.texts.otherBody(missing[0]));
}

/** Waits until no event of the item's order is pending. */
export async function acknowledged(play: Play): Promise<void> {
  const { stage, order } = play;
  const { mock, watch, texts, overdue } = stage;
  const pending = () => mock.pending().filter(({ orderId }) => orderId === order.orderId);
  const isHopeless = () => pending().some(({ eventId }) => overdue.has(eventId));
  const isDone = await watch.until(
    () => (pending().length === 0 ? true : isHopeless() ? false : undefined),
    PATIENCE,
  );
  if (isDone) {
    return play.note(
      texts.acknowledged(mock.emitted().filter(({ orderId }) => orderId === order.orderId).length),
    );
  }
  for (const { eventId } of pending()) overdue.add(eventId);
  const types = pending().map(({ eventType }) => eventType);
  throw new Unmet('failed', texts.notAcknowledged([...new Set(types)].join(', ')));
}

/** An application may show an event a moment after it has acknowledged it. */
const LOOKS = 8;
const LOOK_AGAIN = '5s';
const LOOK_AGAIN_REAL_MS = 400;

/** Asks what the application shows of the item's order. */
export async function look(play: Play, kind: 'shows' | 'hides', names: readonly DetailName[]): Promise<void> {
  const { stage, order } = play;
  const { application, texts, language, signal, watch } = stage;
  await acknowledged(play);
  const details = names.map((name) => DETAILS[name]);
  const asked = details.map((detail) => ({ what: detail.what[language] }));
  const described = asked.map(({ what }) => what).join(', ');
  const [isRight, isWrong] =
    kind === 'shows' ? [texts.shown, texts.notShown] : [texts.hidden, texts.shownWrongly];
  for (let looks = 1; ; looks += 1) {
    const answer = await application.look({ ...order, kind, details: asked }, signal);
    if ('unknown' in answer) throw new Unmet('not seen', answer.unknown);
    if ('yes' in answer) {
      play.note(answer.yes ? texts.answeredYes : texts.answeredNo);
      if (!answer.yes) throw new Unmet('failed', isWrong(described));
      return play.note(isRight(described));
    }
    const text = 'text' in answer ? plainText(answer.text) : '';
    const wrong = details.filter((detail) => isShown(detail, order.document, text) !== (kind === 'shows'));
    if (wrong.length === 0 && 'text' in answer) return play.note(isRight(described));
    if (looks === LOOKS) {
      if ('refused' in answer) throw new Unmet('failed', answer.refused);
      const names = wrong.map((detail) =>
        texts.lookedFor(detail.what[language], lookedFor(detail, order.document)),
      );
      throw new Unmet('failed', isWrong(names.join(', ')));
    }
    await Promise.all([watch.sleep(LOOK_AGAIN), systemClock.sleep(LOOK_AGAIN_REAL_MS, signal)]);
  }
}
