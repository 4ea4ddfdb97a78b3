import type { Step } from '../script.js';

/** What the lists of several hosts have in their own words. */
type Scene = readonly Step[];

export const cancelledByStore = (reason: string, code: string, mode: 'AUTO' | 'MANUAL'): Scene => [
  { sends: 'confirm' },
  { do: 'requestCancellation', data: { reason, code, mode } },
  { emit: 'CANCELLED' },
  { shows: ['stageCancelled'] },
];

export const CANCELLED_BY_STORE = cancelledByStore('Acabou a massa', 'UNAVAILABLE_ITEM', 'AUTO');

export const CANCELLED_BY_CUSTOMER: Scene = [
  { sends: 'confirm' },
  { acknowledges: true },
  { emit: 'CANCELLED', metadata: { reason: 'Desisti', code: 'CONSUMER_CANCELLATION_REQUESTED' } },
  { shows: ['stageCancelled'] },
];

const CUSTOMER_ASKS: Step = {
  emit: 'ORDER_CANCELLATION_REQUEST',
  metadata: { reason: 'Pedi errado', code: 'CONSUMER_CANCELLATION_REQUESTED' },
};

export const CANCELLATION_ACCEPTED: Scene = [
  { sends: 'confirm' },
  CUSTOMER_ASKS,
  { do: 'acceptCancellation' },
  { shows: ['stageCancelled'] },
];

export const CANCELLATION_DENIED: Scene = [
  { sends: 'confirm' },
  { do: 'readyForPickup' },
  CUSTOMER_ASKS,
  { do: 'denyCancellation', data: { reason: 'O prato ficou pronto', code: 'DISH_ALREADY_DONE' } },
  { hides: ['stageCancelled'] },
];

/** Nothing that only the store's own courier does was sent. */
export const NOT_DELIVERED_BY_STORE: Scene = [
  { atMost: 0, of: 'dispatch' },
  { atMost: 0, of: 'delivered' },
];

export const CANCELLED_FOR_FRAUD: Scene = [
  { emit: 'CANCELLED', metadata: { reason: 'Fraude', code: 'OTHER_CANCELLATION_REASON' } },
  { shows: ['stageCancelled'] },
];

export const RECEIVED_TWICE: Scene = [
  { sends: 'confirm' },
  { acknowledges: true },
  { redeliver: 'CREATED' },
  { acknowledges: true },
  { wait: '5s' },
  { atMost: 1, of: 'confirm' },
];
