import type { HostProfile } from 'opendelivery-client';
import { createMockHub, type MockHub } from 'opendelivery-client/testing';
import { Recorder } from '../../../src/cli/record/recorder.js';
import { profileOption } from '../../../src/options/profile.js';
import type { Clock } from '../../../src/time/clock.js';

export const recorderOf = (startedAt: number, profile: HostProfile = {}) =>
  new Recorder({
    baseUrl: createMockHub().baseUrl,
    basePath: '/opendelivery',
    profile: profileOption.check('profile', profile),
    startedAt,
  });

/** The `fetch` of a mock hub, with a recorder that sees each exchange. */
export function recorded(mock: MockHub, clock: Clock, profile: HostProfile = {}) {
  const startedAt = clock.monotonic();
  const recorder = recorderOf(clock.now(), profile);
  const atMs = () => clock.monotonic() - startedAt;
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    const body = await request.clone().text();
    const sentAtMs = atMs();
    const response = await mock.fetch(request);
    const responseBody = await response.clone().text();
    recorder.add({
      method: request.method,
      path: new URL(request.url).pathname,
      headers: request.headers,
      body,
      status: response.status,
      responseBody,
      sentAtMs,
      respondedAtMs: atMs(),
    });
    return response;
  };
  return { fetch, recorder, finish: () => recorder.finish(atMs()) };
}
