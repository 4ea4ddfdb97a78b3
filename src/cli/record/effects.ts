import { COMMAND_EVENTS } from '../../orders/already-there.js';
import { canonicalEventType } from '../../schemas/event-types.js';
import type { Json } from '../../testing/fixtures.js';
import { applyEvent, describeState, type OrderState } from '../../testing/order-lifecycle.js';
import type { RecordedCommand, RecordedEvent } from '../../testing/recording.js';

export interface SeenEvent extends RecordedEvent {
  /** When the application first got it. */
  readonly seenAtMs: number;
  /** The number of the exchange with it. */
  readonly exchange: number;
}

export interface SeenCommand {
  readonly orderId: string;
  readonly command: string;
  readonly status: number;
  /** When it was sent. */
  readonly atMs: number;
  readonly exchange: number;
}

/** What a hub may decide after a request to cancel. */
const DECISIONS: readonly string[] = ['CANCELLED', 'CANCELLATION_REQUEST_DENIED'];

/**
 * Finds out which events followed from commands, and in which state of its order each command was sent.
 *
 * @param lastPoll - the number of the last exchange that was a poll.
 */
export function settleEffects(
  seen: readonly SeenEvent[],
  sent: readonly SeenCommand[],
  lastPoll: number,
): { readonly events: readonly RecordedEvent[]; readonly commands: readonly RecordedCommand[] } {
  const effects = new Map<SeenEvent, SeenCommand>();
  const take = (command: SeenCommand, types: readonly string[]) => {
    const found = seen.find(
      (each) =>
        !effects.has(each) &&
        each.event.orderId === command.orderId &&
        types.includes(typeOf(each)) &&
        (each.seenAtMs > command.atMs || each.exchange > command.exchange),
    );
    if (found) effects.set(found, command);
    return found;
  };
  const commands = [...sent]
    .sort((one, other) => one.atMs - other.atMs)
    .map((command) => {
      if (command.status >= 300) return { command, events: [] };
      const first = take(command, [COMMAND_EVENTS.get(command.command) as string]);
      const second = command.command === 'requestCancellation' ? take(command, DECISIONS) : undefined;
      return { command, events: effectsOf(command, first, second) };
    });
  const states = statesBefore(
    seen,
    commands.map(({ command }) => command),
    effects,
  );
  return {
    events: seen
      .filter((each) => !effects.has(each))
      .sort((one, other) => one.atMs - other.atMs)
      .map(({ atMs, event }) => ({ atMs, event })),
    commands: commands
      // Without a later poll, nobody knows what followed.
      .filter(
        ({ command, events }) => command.status >= 300 || events.length > 0 || command.exchange < lastPoll,
      )
      .map(({ command, events }) => ({
        orderId: command.orderId,
        command: command.command,
        state: states.get(command) as string,
        status: command.status,
        events,
      })),
  };
}

function effectsOf(
  command: SeenCommand,
  first: SeenEvent | undefined,
  second: SeenEvent | undefined,
): RecordedEvent[] {
  const afterMs = second ? Math.max(0, second.atMs - Math.max(command.atMs, first?.atMs ?? 0)) : 0;
  return [
    ...(first ? [{ atMs: 0, event: first.event }] : []),
    ...(second ? [{ atMs: afterMs, event: second.event }] : []),
  ];
}

/** The state of its order before each command. */
function statesBefore(
  seen: readonly SeenEvent[],
  commands: readonly SeenCommand[],
  effects: ReadonlyMap<SeenEvent, SeenCommand>,
): ReadonlyMap<SeenCommand, string> {
  const described = new Map<SeenCommand, string>();
  const orders = new Map<unknown, OrderState>();
  const stateOf = (orderId: unknown) => {
    const state = orders.get(orderId) ?? { stage: 'CREATED', cancellationBy: new Set() };
    orders.set(orderId, state);
    return state;
  };
  const timeline = [...seen.filter((each) => !isDirect(each, effects.get(each))), ...commands];
  for (const each of timeline.sort((one, other) => one.atMs - other.atMs)) {
    if ('event' in each) {
      applyEvent(stateOf(each.event.orderId), typeOf(each));
      continue;
    }
    const state = stateOf(each.orderId);
    described.set(each, describeState(state));
    if (each.status < 300) applyEvent(state, COMMAND_EVENTS.get(each.command) as string);
  }
  return described;
}

/** The event that a command leads to; it takes effect with the command. */
const isDirect = (event: SeenEvent, command: SeenCommand | undefined) =>
  command !== undefined && COMMAND_EVENTS.get(command.command) === typeOf(event);

const typeOf = ({ event }: { readonly event: Json }) => canonicalEventType(event.eventType as string);
