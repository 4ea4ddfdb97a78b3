import type { HubClientOptions, State } from 'opendelivery-client';
import { HubClient } from 'opendelivery-client';
import type { MockHub } from 'opendelivery-client/testing';
import { STATE_METHODS } from '../../src/state/port.js';

/** A state as a plain object of functions, so that a test can replace some of them. */
export function methodsOf(state: State): State {
  const methods = STATE_METHODS.map((name) => [name, (state[name] as () => unknown).bind(state)]);
  return Object.fromEntries(methods) as State;
}

/** A client that simulates a killed process: after `kill` its calls no longer reach the state, and it is never closed. */
export function mortalClient(mock: MockHub, state: State, options: Partial<HubClientOptions>) {
  let isKilled = false;
  const mortal = new Proxy(state, {
    get: (target, name: keyof State) =>
      isKilled ? () => new Promise(() => {}) : (target[name] as () => unknown).bind(target),
  });
  const hub = new HubClient({
    baseUrl: mock.baseUrl,
    ...mock.credentials,
    fetch: mock.fetch,
    logger: false,
    state: mortal,
    ...options,
  });
  const kill = () => {
    isKilled = true;
  };
  return { hub, kill };
}
