import type * as z from 'zod';
import type { newPush } from './control-input.js';
import type { MockHub } from './mock-hub.js';
import type { PushDelivery, Pushing } from './push.js';

type ControlledPush = z.output<typeof newPush>;

interface Pushes {
  readonly given: ControlledPush;
  readonly ofStores: Map<string, Pushing>;
}

/** Where the control API and the command line push the events of a mock hub. */
const pushesOf = new WeakMap<MockHub, Pushes>();

/** Pushes the events of one store, or of all, to an address, and no longer to an earlier one. */
export function startPushes(mock: MockHub, given: ControlledPush): void {
  const pushes = { given, ofStores: new Map() };
  // First, because it throws if it is refused: then the earlier push goes on.
  pushEvents(mock, pushes, given.clientId);
  stopPushes(mock);
  pushesOf.set(mock, pushes);
}

/**
 * Pushes the events of a store that was added, or whose pushes `reset` has ended.
 *
 * @param clientId - undefined: of every store.
 */
export function startPushesAgain(mock: MockHub, clientId: string | undefined): void {
  const pushes = pushesOf.get(mock);
  if (pushes) pushEvents(mock, pushes, clientId);
}

function pushEvents(mock: MockHub, { given, ofStores }: Pushes, only: string | undefined): void {
  const { url, clientId: wanted, ...options } = given;
  for (const clientId of only === undefined ? mock.stores.map((store) => store.clientId) : [only]) {
    if (wanted !== undefined && clientId !== wanted) continue;
    ofStores.get(clientId)?.stop();
    ofStores.set(clientId, mock.push(url, { clientId, ...options }));
  }
}

export function stopPushes(mock: MockHub): void {
  for (const pushing of pushesOf.get(mock)?.ofStores.values() ?? []) pushing.stop();
  pushesOf.delete(mock);
}

/** Every try that has ended, oldest first. */
export function pushDeliveries(mock: MockHub): readonly PushDelivery[] {
  const all = [...(pushesOf.get(mock)?.ofStores.values() ?? [])].flatMap(({ deliveries }) => deliveries);
  return all.toSorted((one, other) => one.at - other.at);
}
