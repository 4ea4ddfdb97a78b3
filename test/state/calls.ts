import type { Clock, Reservation, State } from 'opendelivery-client';

/** Marks that a recall does not renew. */
export const NOT_RENEWED = { handledMs: 0, attemptedMs: 0 };

/** The ids that are marked as handled. */
export async function recalled(
  state: Pick<State, 'recall'>,
  key: string,
  ids: readonly string[],
  clock: Clock,
): Promise<string[]> {
  const marks = await state.recall(key, ids, NOT_RENEWED, clock);
  return ids.filter((_id, index) => marks[index]?.handled);
}

/** The id of a reservation that was granted. */
export function idOf(reservation: Reservation): string {
  if (!reservation.granted) throw new Error(`refused for ${reservation.waitMs} ms`);
  return reservation.id;
}
