import type { Order } from 'opendelivery-client';

/** The stages of an order, in this order. An order may skip stages, but never goes back. */
const STAGES = [
  'CREATED',
  'CONFIRMED',
  'PREPARING',
  'READY_FOR_PICKUP',
  'DISPATCHED',
  'PICKED_UP',
  'DELIVERED',
  'CONCLUDED',
  'CANCELLED',
] as const;

export type Stage = (typeof STAGES)[number];

/** The stage of an order, and apart from that, who has requested its cancellation. */
export interface Progress {
  readonly stage: Stage;
  readonly cancellationBy: 'hub' | 'store' | null;
}

export const INITIAL_PROGRESS: Progress = { stage: 'CREATED', cancellationBy: null };

export const isFinished = (stage: Stage) => stage === 'CONCLUDED' || stage === 'CANCELLED';

export const isSame = (one: Progress, other: Progress) =>
  one.stage === other.stage && one.cancellationBy === other.cancellationBy;

/** The progress after an event. Unknown event types do not change it. */
export function nextProgress(progress: Progress, eventType: string): Progress {
  const index = Math.max(STAGES.indexOf(progress.stage), STAGES.indexOf(eventType as Stage));
  const stage = STAGES[index] ?? progress.stage;
  if (isFinished(stage)) return { stage, cancellationBy: null };
  switch (eventType) {
    case 'ORDER_CANCELLATION_REQUEST':
      return { stage, cancellationBy: 'hub' };
    case 'CANCELLATION_REQUESTED':
      return { stage, cancellationBy: 'store' };
    case 'CANCELLED_DENIED':
    case 'CANCELLATION_REQUEST_DENIED':
      return { stage, cancellationBy: null };
    default:
      return { stage, cancellationBy: progress.cancellationBy };
  }
}

interface Command {
  /** The text of the button. */
  readonly label: string;
  /** The event that the hub emits after the command. */
  readonly leadsTo: string;
  readonly isPossible: (progress: Progress, order: Order) => boolean;
}

/** The commands of a store, the most urgent first. The names are methods of `hub.orders`. */
export const COMMANDS = {
  acceptCancellation: {
    label: 'Accept cancellation',
    leadsTo: 'CANCELLED',
    isPossible: ({ cancellationBy }) => cancellationBy === 'hub',
  },
  denyCancellation: {
    label: 'Deny cancellation',
    leadsTo: 'CANCELLED_DENIED',
    isPossible: ({ cancellationBy }) => cancellationBy === 'hub',
  },
  confirm: {
    label: 'Confirm',
    leadsTo: 'CONFIRMED',
    isPossible: ({ stage }) => stage === 'CREATED',
  },
  preparing: {
    label: 'Start preparing',
    leadsTo: 'PREPARING',
    isPossible: ({ stage }, { sendPreparing }) => stage === 'CONFIRMED' && sendPreparing !== false,
  },
  readyForPickup: {
    label: 'Ready',
    leadsTo: 'READY_FOR_PICKUP',
    isPossible: ({ stage }) => stage === 'CONFIRMED' || stage === 'PREPARING',
  },
  dispatch: {
    label: 'Dispatch',
    leadsTo: 'DISPATCHED',
    isPossible: ({ stage }, { type }) =>
      type === 'DELIVERY' && ['CONFIRMED', 'PREPARING', 'READY_FOR_PICKUP'].includes(stage),
  },
  pickedUp: {
    label: 'Picked up',
    leadsTo: 'PICKED_UP',
    isPossible: ({ stage }, { type, sendPickedUp }) =>
      type === 'TAKEOUT' && stage === 'READY_FOR_PICKUP' && sendPickedUp !== false,
  },
  delivered: {
    label: 'Delivered',
    leadsTo: 'DELIVERED',
    isPossible: ({ stage }, { type, sendDelivered, delivery }) =>
      sendDelivered !== false &&
      (type === 'INDOOR'
        ? stage === 'READY_FOR_PICKUP'
        : stage === 'DISPATCHED' && delivery?.deliveredBy !== 'MARKETPLACE'),
  },
  requestCancellation: {
    label: 'Request cancellation',
    leadsTo: 'CANCELLATION_REQUESTED',
    isPossible: ({ stage, cancellationBy }) => !isFinished(stage) && cancellationBy === null,
  },
} as const satisfies Record<string, Command>;

export type CommandName = keyof typeof COMMANDS;

const NAMES = Object.keys(COMMANDS) as CommandName[];

/** The commands that are possible now. */
export function possibleCommands(progress: Progress, order: Order): CommandName[] {
  return NAMES.filter((name) => COMMANDS[name].isPossible(progress, order));
}
