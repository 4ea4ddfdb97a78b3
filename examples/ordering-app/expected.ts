import { type NextCommand, type OrderProgress, orderProgress } from 'opendelivery-client';

/** The part of a progress that decides which commands are possible. */
export type Position = Pick<OrderProgress, 'stage' | 'cancellation'>;

/** The event that the hub emits after a command. */
const EVENTS: Readonly<Record<NextCommand, string>> = {
  confirm: 'CONFIRMED',
  preparing: 'PREPARING',
  readyForPickup: 'READY_FOR_PICKUP',
  dispatch: 'DISPATCHED',
  pickedUp: 'PICKED_UP',
  delivered: 'DELIVERED',
  acceptCancellation: 'CANCELLED',
  denyCancellation: 'CANCELLED_DENIED',
  requestCancellation: 'CANCELLATION_REQUESTED',
};

const CANCELLATIONS: Partial<Readonly<Record<NextCommand, Position['cancellation']>>> = {
  requestCancellation: 'asked_by_store',
  denyCancellation: 'denied',
};

/** Where the order will be after the events of the commands that the hub has accepted. A person need not wait for them. */
export function expectedPosition(progress: Position, accepted: readonly NextCommand[]): Position {
  return accepted.reduce<Position>(({ stage, cancellation }, command) => {
    const answer = CANCELLATIONS[command];
    if (answer) return { stage, cancellation: answer };
    const event = { eventId: command, eventType: EVENTS[command] };
    return { stage: orderProgress({ stage, cancellation: 'none' }, event).stage, cancellation };
  }, progress);
}

/** The accepted commands whose event has not arrived. After any event of a cancellation, only the hub's events count. */
export const stillAccepted = (accepted: readonly NextCommand[], eventType: string) =>
  accepted.filter(
    (command) => EVENTS[command] !== eventType && !(command in CANCELLATIONS && eventType.includes('CANCEL')),
  );

export const isSame = (one: Position, other: Position) =>
  one.stage === other.stage && one.cancellation === other.cancellation;

export const isFinished = ({ stage }: Position) => stage === 'CONCLUDED' || stage === 'CANCELLED';
