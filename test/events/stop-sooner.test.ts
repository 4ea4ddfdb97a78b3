import { describe, expect, it } from 'vitest';
import { stage } from '../support.js';

const never = () => new Promise<void>(() => {});

describe('a second stop of a poller', () => {
  it('ends at its own time limit, if that is shorter', async () => {
    const { clock, mock, hub } = stage();
    const poller = hub.poller().on('CREATED', never);
    mock.createOrder();
    await poller.start();
    const first = poller.stop({ timeoutMs: 30_000 });
    await clock.advance('2s');
    const second = poller.stop({ timeoutMs: 1000 });
    await clock.advance('1s');
    expect(await second).toMatchObject({ timedOut: true, unacknowledged: [expect.any(String)] });
    expect(await first).toBe(await second);
    expect(clock.sleepers).toBe(0);
  });

  it('changes nothing, if its time limit is longer', async () => {
    const { clock, mock, hub } = stage();
    const poller = hub.poller().on('CREATED', never);
    mock.createOrder();
    await poller.start();
    const first = poller.stop({ timeoutMs: 1000 });
    const second = poller.stop({ timeoutMs: 30_000 });
    await clock.advance('1s');
    expect([await first, await second]).toMatchObject([{ timedOut: true }, { timedOut: true }]);
  });
});
