import type { MockHub } from './mock-hub.js';
import type { PushDelivery, Pushing, PushOptions } from './push.js';

/** Where the control API and the command line push the events of a mock hub. */
const pushings = new WeakMap<MockHub, readonly Pushing[]>();

export interface ControlledPush extends Pick<PushOptions, 'clientId' | 'alsoPolled'> {
  readonly url: string;
}

/** Pushes the events of one store, or of all, to an address, and no longer to an earlier one. */
export function startPushes(mock: MockHub, { url, clientId, ...options }: ControlledPush): void {
  stopPushes(mock);
  const clientIds = clientId === undefined ? mock.stores.map((store) => store.clientId) : [clientId];
  pushings.set(
    mock,
    clientIds.map((each) => mock.push(url, { clientId: each, ...options })),
  );
}

export function stopPushes(mock: MockHub): void {
  for (const pushing of pushings.get(mock) ?? []) pushing.stop();
  pushings.delete(mock);
}

/** Every try that has ended, oldest first. */
export function pushDeliveries(mock: MockHub): readonly PushDelivery[] {
  const all = (pushings.get(mock) ?? []).flatMap(({ deliveries }) => deliveries);
  return all.toSorted((one, other) => one.at - other.at);
}
