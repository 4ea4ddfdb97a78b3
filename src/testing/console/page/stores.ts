import type { WireStore } from '../wire.js';
import { live } from './live.js';

/** Such as `1001 · Forno da Vila`. */
const labelOf = ({ clientId, name }: WireStore): string =>
  name === clientId ? clientId : `${clientId} · ${name}`;

/** The options of a list in which a person chooses a store. */
export const storeOptions = (): [clientId: string, label: string][] =>
  live.summary.stores.map((store) => [store.clientId, labelOf(store)]);

/** What a store is called. */
export function storeLabel(clientId: string): string {
  const store = live.summary.stores.find((each) => each.clientId === clientId);
  return store ? labelOf(store) : clientId;
}
