import { setupServer } from 'msw/node';
import type { MockHub } from 'opendelivery-client/testing';
import { onTestFinished } from 'vitest';

interface Connection {
  readonly baseUrl: string;
  /** Absent: Node's own. */
  readonly fetch?: typeof globalThis.fetch;
}

/** The ways from an application to a mock hub, open until the end of the test. */
export const TRANSPORTS: ReadonlyArray<[name: string, open: (mock: MockHub) => Promise<Connection>]> = [
  ['mock.fetch', async ({ baseUrl, fetch }) => ({ baseUrl, fetch })],
  [
    'MSW',
    async ({ baseUrl, handlers }) => {
      const server = setupServer(...handlers);
      server.listen({ onUnhandledRequest: 'error' });
      onTestFinished(() => server.close());
      return { baseUrl };
    },
  ],
  [
    'real sockets',
    async (mock) => {
      const { url, close } = await mock.listen();
      onTestFinished(close);
      return { baseUrl: url };
    },
  ],
];
