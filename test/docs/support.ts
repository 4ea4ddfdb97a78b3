import { setupServer } from 'msw/node';
import { HubClient, type HubClientOptions } from 'opendelivery-client';
import { createMockHub, ManualClock, type MockHubOptions } from 'opendelivery-client/testing';
import { onTestFinished } from 'vitest';

/** A store at a mock hub behind MSW, and its client; both use one manual clock. */
export function openStore(hubOptions: MockHubOptions = {}, clientOptions: Partial<HubClientOptions> = {}) {
  const clock = new ManualClock();
  const mock = createMockHub({ clock, ...hubOptions });
  const server = setupServer(...mock.handlers);
  server.listen({ onUnhandledRequest: 'error' });
  const connect = () =>
    new HubClient({
      baseUrl: mock.baseUrl,
      ...mock.credentials,
      clock,
      logger: false,
      ...clientOptions,
    });
  const hub = connect();
  onTestFinished(async () => {
    await hub.close();
    server.close();
  });
  return { clock, mock, hub, connect };
}

/** The types of the events that the mock hub has emitted, oldest first. */
export const typesOf = (events: ReadonlyArray<{ readonly eventType: string }>) =>
  events.map(({ eventType }) => eventType);
