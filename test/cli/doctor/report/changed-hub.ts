import type { EndpointName } from 'opendelivery-client';
import { createMockHub, ManualClock, type MockHub, type MockHubOptions } from 'opendelivery-client/testing';
import { onTestFinished, vi } from 'vitest';
import type { Report } from '../../../../src/cli/doctor/report/report.js';
import { inEnvironment, opendelivery } from '../../support.js';

export type { Report };

/** A response on its way to the client; a change sets its fields. */
export interface Answer {
  status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: a change reaches deep into the document
  json: any;
  /** In place of the JSON. */
  text: string | undefined;
  /** Whether the request had the credentials of the store. */
  readonly isAuthorized: boolean;
  /** How many requests the endpoint has had, this one included. */
  readonly count: number;
}

/** How a hub differs from the mock hub. */
export interface Change {
  readonly options?: MockHubOptions;
  readonly prepare?: (mock: MockHub) => void;
  /** No order is pending. */
  readonly isIdle?: boolean;
  readonly alter?: (endpoint: EndpointName, answer: Answer) => void;
}

/** A change of the responses of one endpoint. */
export const at = (endpoint: EndpointName, alter: (answer: Answer) => void): Change => ({
  alter: (of, answer) => {
    if (of === endpoint) alter(answer);
  },
});

/** Puts a changed mock hub with three orders into the environment, in place of the global fetch. */
export async function changedHub(change: Change = {}): Promise<{ mock: MockHub; clock: ManualClock }> {
  const clock = new ManualClock();
  const mock = createMockHub({ clock, ...change.options });
  for (let count = 0; count < (change.isIdle ? 0 : 3); count += 1) {
    mock.createOrder({ include: ['options', 'discounts', 'change'] });
    await clock.advance('1s');
  }
  change.prepare?.(mock);
  const counts = new Map<EndpointName, number>();
  vi.stubGlobal('fetch', async (url: string, init: RequestInit) => {
    const response = await mock.fetch(url, init);
    const { endpoint = 'token' } = mock.requests.at(-1) ?? {};
    counts.set(endpoint, (counts.get(endpoint) ?? 0) + 1);
    const body = await response.text();
    const answer: Answer = {
      status: response.status,
      headers: new Headers({
        date: new Date(clock.now()).toUTCString(),
        ...Object.fromEntries(response.headers),
      }),
      json: body === '' ? undefined : JSON.parse(body),
      text: undefined,
      isAuthorized: ![400, 401, 403].includes(response.status),
      count: counts.get(endpoint) as number,
    };
    change.alter?.(endpoint, answer);
    const { status, headers, json, text = json === undefined ? null : JSON.stringify(json) } = answer;
    return new Response(text, { status, headers });
  });
  inEnvironment(mock.baseUrl, mock.credentials);
  onTestFinished(() => void vi.unstubAllGlobals());
  return { mock, clock };
}

/** Runs the doctor, and returns its report. */
export async function reported(clock: ManualClock, options = ''): Promise<Report> {
  const ran = opendelivery(`doctor --report json ${options}`, { clock });
  await ran.code;
  return JSON.parse(ran.out) as Report;
}

/** The ids of the checks that differ. */
export const differing = ({ checks }: Report): string[] =>
  checks.filter(({ result }) => result === 'differs').map(({ id }) => id);
