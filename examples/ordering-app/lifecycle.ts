import type { Order } from 'opendelivery-client';

/** The stages of an order, in the order in which it passes them: it may skip some, and never goes back. */
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

/** Where an order stands and, apart from that, which side asks to cancel it. */
export interface Progress {
  readonly stage: Stage;
  readonly asked: 'hub' | 'store' | null;
}

export const BEGINNING: Progress = { stage: 'CREATED', asked: null };

export const isFinished = (stage: Stage) => stage === 'CONCLUDED' || stage === 'CANCELLED';

export const isSame = (one: Progress, other: Progress) =>
  one.stage === other.stage && one.asked === other.asked;

/** What an event makes of an order's progress; one of a type unknown here leaves it as it is. */
export function after({ stage: before, asked }: Progress, eventType: string): Progress {
  const stage = STAGES[Math.max(STAGES.indexOf(before), STAGES.indexOf(eventType as Stage))] ?? before;
  if (isFinished(stage)) return { stage, asked: null };
  switch (eventType) {
    case 'ORDER_CANCELLATION_REQUEST':
      return { stage, asked: 'hub' };
    case 'CANCELLATION_REQUESTED':
      return { stage, asked: 'store' };
    case 'CANCELLED_DENIED':
    case 'CANCELLATION_REQUEST_DENIED':
      return { stage, asked: null };
    default:
      return { stage, asked };
  }
}

interface Command {
  readonly label: string;
  /** The event by which the hub says that it is done. */
  readonly leadsTo: string;
  readonly isPossible: (progress: Progress, order: Order) => boolean;
}

/** What a person can do with an order, the most urgent first. */
export const COMMANDS = {
  acceptCancellation: {
    label: 'Accept cancellation',
    leadsTo: 'CANCELLED',
    isPossible: ({ asked }) => asked === 'hub',
  },
  denyCancellation: {
    label: 'Deny cancellation',
    leadsTo: 'CANCELLED_DENIED',
    isPossible: ({ asked }) => asked === 'hub',
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
    label: 'Ask to cancel',
    leadsTo: 'CANCELLATION_REQUESTED',
    isPossible: ({ stage, asked }) => !isFinished(stage) && asked === null,
  },
} as const satisfies Record<string, Command>;

export type CommandName = keyof typeof COMMANDS;

const NAMES = Object.keys(COMMANDS) as CommandName[];

/** The commands that are possible now. */
export function commandsFor(progress: Progress, order: Order): CommandName[] {
  return NAMES.filter((name) => COMMANDS[name].isPossible(progress, order));
}
