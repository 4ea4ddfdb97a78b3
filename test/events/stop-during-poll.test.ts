import { describe, expect, it } from 'vitest';
import { afterAdvance, stage } from '../support.js';

const LATENCY_MS = 5000;

describe('a poll that was sent before stop', () => {
  it('is finished, and its events are handled and acknowledged (point 19)', async () => {
    const { clock, mock, hub } = stage({ latencyMs: LATENCY_MS });
    const poller = hub.poller().on('CREATED', () => {});
    void poller.start();
    await clock.advance('30s');
    mock.createOrder();
    const before = mock.requests.length;
    // The token took as long as the first poll: the second one is sent after 35 s.
    await clock.advance('6s');
    expect(mock.requests.slice(before).map(({ endpoint }) => endpoint)).toEqual(['polling']);
    expect(await afterAdvance(clock, '15s', poller.stop({ timeoutMs: 30_000 }))).toEqual({
      handled: 1,
      acknowledged: 1,
      unacknowledged: [],
      timedOut: false,
    });
    expect(mock.pending()).toEqual([]);
    expect(clock.sleepers).toBe(0);
  });

  it('is not waited for after the time limit', async () => {
    const { clock, hub } = stage({ latencyMs: LATENCY_MS });
    const poller = hub.poller().on('CREATED', () => {});
    void poller.start();
    await clock.advance('36s');
    let isStopped = false;
    void poller.stop({ timeoutMs: 1000 }).then(() => (isStopped = true));
    await clock.advance('1s');
    expect(isStopped).toBe(true);
  });
});
