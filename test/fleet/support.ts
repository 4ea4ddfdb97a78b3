import { type FleetStore, HubFleet, type HubFleetOptions, type Logger } from 'opendelivery-client';
import { createMockHub, ManualClock, type MockHub, type MockHubOptions } from 'opendelivery-client/testing';
import { onTestFinished } from 'vitest';

/** A number of stores: `store-0` with client id `1000`, and so on. */
export const stores = (count: number): FleetStore[] =>
  Array.from({ length: count }, (_, index) => ({
    storeId: `store-${index}`,
    clientId: String(1000 + index),
    clientSecret: `secret-of-store-${index}`,
    apiKey: `api-key-of-store-${index}`,
  }));

export interface FleetStage<Transaction = never> {
  readonly clock: ManualClock;
  readonly mock: MockHub;
  readonly fleet: HubFleet<Transaction>;
  /** What was logged as a warning or an error, with the store. */
  readonly log: string[];
  /** The times of the polls of one store, in monotonic ms. */
  readonly pollsOf: (store: FleetStore) => number[];
}

/** A mock hub that has these stores. */
export function hubWith(all: readonly FleetStore[], options: MockHubOptions = {}): MockHub {
  const mock = createMockHub({ unansweredAfterMs: Number.POSITIVE_INFINITY, ...options });
  for (const { clientId, clientSecret, apiKey } of all) {
    mock.addStore({ clientId, clientSecret: clientSecret as string, apiKey: apiKey as string });
  }
  return mock;
}

/** A fleet of these stores and their mock hub on one manual clock. The fleet is stopped when the test is over. */
export function fleetStage<Transaction = never>(
  all: readonly FleetStore[],
  options: Partial<HubFleetOptions<Transaction>> = {},
  mockOptions: MockHubOptions = {},
): FleetStage<Transaction> {
  const clock = new ManualClock();
  const mock = hubWith(all, { clock, ...mockOptions });
  const { fleet, log } = fleetOf(mock, { clock, stores: all, ...options });
  const pollsOf = ({ clientId }: FleetStore) =>
    mock.requests
      .filter((request) => request.endpoint === 'polling' && request.clientId === clientId)
      .map(({ monotonicAt }) => monotonicAt);
  return { clock, mock, fleet, log, pollsOf };
}

/** A stage whose fleet has been started, with listeners that do nothing, some time ago. */
export async function polling(
  stage: FleetStage,
  time: Parameters<ManualClock['advance']>[0] = '31s',
): Promise<FleetStage> {
  stage.fleet.on('event', () => {}).on('error', () => {});
  void caught(stage.fleet.start());
  await stage.clock.advance(time);
  return stage;
}

/** Another fleet of the same hub. */
export function fleetOf<Transaction = never>(
  mock: MockHub,
  options: Partial<HubFleetOptions<Transaction>> & Pick<HubFleetOptions, 'stores'>,
) {
  const log: string[] = [];
  const line = (message: string, fields?: object) => void log.push(`${message} ${JSON.stringify(fields)}`);
  const logger: Logger = { debug: () => {}, info: () => {}, warn: line, error: line };
  const fleet = new HubFleet<Transaction>({ baseUrl: mock.baseUrl, fetch: mock.fetch, logger, ...options });
  onTestFinished(async () => {
    const stopped = fleet.stop({ timeoutMs: 0 });
    if (options.clock instanceof ManualClock) await options.clock.advance(0);
    await stopped;
  });
  return { fleet, log };
}

/** A list of one store. */
export const one = () => stores(1);
/** How a promise has settled, as a string. */
export const caught = (promise: Promise<unknown>) =>
  promise.then(
    () => 'resolved',
    (error: Error) => `${error?.name}: ${error?.message}`,
  );

/** Counts runs of one event at the same time. */
export function overlap() {
  const running = new Map<string, number>();
  let most = 0;
  return {
    get most() {
      return most;
    },
    async run(id: string, work: () => Promise<unknown>) {
      const count = (running.get(id) ?? 0) + 1;
      running.set(id, count);
      most = Math.max(most, count);
      try {
        await work();
      } finally {
        running.set(id, (running.get(id) ?? 1) - 1);
      }
    },
  };
}
