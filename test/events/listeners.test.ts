import { EventEmitter } from 'node:events';
import { ConfigurationError, HubClient } from 'opendelivery-client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { stage } from '../support.js';

describe('several listeners that fail', () => {
  it('are reported together, as an AggregateError', async () => {
    const { clock, mock, hub } = stage();
    const errors: unknown[] = [];
    const failed: unknown[] = [];
    const poller = hub.poller();
    poller.on('CREATED', () => {
      throw new Error('one');
    });
    poller.on('CREATED', async () => {
      throw new Error('two');
    });
    poller.on('event', async () => {
      await clock.sleep(1000);
      throw new Error('three');
    });
    poller.on('event', () => {});
    poller.on('error', (error) => void errors.push(error));
    poller.on('listenerFailed', ({ error }) => void failed.push(error));
    mock.createOrder();
    await poller.start();
    await clock.advance('2s');
    expect(errors).toEqual([expect.any(AggregateError)]);
    const [error] = errors as AggregateError[];
    expect(error?.errors.map(({ message }: Error) => message)).toEqual(['one', 'two', 'three']);
    expect(error?.message).toBe('3 listeners failed: one; two; three');
    expect(failed).toEqual(errors);
    await poller.stop();
  });
});

describe('a listener', () => {
  it('that returns a function with a then method is awaited', async () => {
    const { clock, mock, hub } = stage();
    const order: string[] = [];
    const poller = hub.poller();
    poller.on('CREATED', () =>
      Object.assign(() => {}, {
        // biome-ignore lint/suspicious/noThenProperty: that is the point
        then: (resolve: () => void) =>
          void clock.sleep(5000).then(() => {
            order.push('settled');
            resolve();
          }),
      }),
    );
    poller.on('acknowledged', () => void order.push('acknowledged'));
    mock.createOrder();
    await poller.start();
    await clock.advance('10s');
    expect(order).toEqual(['settled', 'acknowledged']);
    await poller.stop();
  });

  it('of a type of the spec that is missing is warned of once', async () => {
    const { clock, mock, hub, log } = stage();
    const poller = hub.poller().on('CREATED', () => {});
    for (let count = 0; count < 3; count += 1) {
      mock.emit('CANCELLED', {});
      mock.emit('REFUNDED', {});
    }
    await poller.start();
    await clock.advance('1m');
    expect(log.filter((line) => line.includes('no listener'))).toEqual([
      expect.stringContaining(
        "CANCELLED has no listener and is acknowledged unhandled; add one with poller.on('CANCELLED'",
      ),
    ]);
    await poller.stop();
  });
});

describe('one signal', () => {
  it('starts any number of pollers without a warning of a leak', async () => {
    const warnings: unknown[] = [];
    const heard = (warning: Error) => warnings.push(warning);
    process.on('warning', heard);
    onTestFinished(() => void process.off('warning', heard));
    const controller = new AbortController();
    const stages = Array.from({ length: EventEmitter.defaultMaxListeners + 2 }, () => stage());
    const pollers = stages.map(({ hub }) => hub.poller().on('CREATED', () => {}));
    await Promise.all(pollers.map((poller) => poller.start({ signal: controller.signal })));
    await new Promise(setImmediate);
    expect(warnings).toEqual([]);
    controller.abort(new Error('over'));
    await Promise.all(pollers.map((poller) => poller.stop()));
    expect(pollers.map((poller) => poller.health().status)).toEqual(pollers.map(() => 'idle'));
  });
});

describe('names of events', () => {
  const poller = () => {
    const hub = new HubClient({
      baseUrl: 'https://hub.example',
      clientId: '1',
      clientSecret: 's',
      logger: false,
    });
    onTestFinished(() => hub.close());
    return hub.poller();
  };

  it.each([
    ['CANCELED', 'CANCELLED'],
    ['CRATED', 'CREATED'],
    ['CREATDE', 'CREATED'],
    ['canceled', 'CANCELLED'],
    ['created', 'CREATED'],
    ['Created', 'CREATED'],
    ['READY-FOR-PICKUP', 'READY_FOR_PICKUP'],
    ['readyForPickup', 'READY_FOR_PICKUP'],
    ['DISPATCH', 'DISPATCHED'],
    ['events', 'event'],
    ['EVENT', 'event'],
    ['dead-letter', 'deadLetter'],
    ['deadletter', 'deadLetter'],
    ['STARTED', 'started'],
    ['errors', 'error'],
    ['acknowledge', 'acknowledged'],
  ])('%s is refused, for %s', (name, meant) => {
    for (const method of ['on', 'once', 'off'] as const) {
      const call = () => poller()[method](name as string, () => {});
      expect(call).toThrow(ConfigurationError);
      expect(call).toThrow(`did you mean '${meant}'?`);
    }
  });

  it.each(['foo', 'order.created', '', 'Zé', '__proto__', 'x'.repeat(1000)])('%j is refused', (name) => {
    expect(() => poller().on(name as string, () => {})).toThrow(ConfigurationError);
  });

  it.each([
    'REFUNDED',
    'RIDER_ARRIVED_AT_STORE',
    'SENT',
    'CANCELLATION_DENIED',
    'X',
    'CANCELLATION_REQUEST_ACCEPTED',
  ])("%s is accepted: it is a hub's own, or another name of a known type", (name) => {
    expect(() => poller().on(name as string, () => {})).not.toThrow();
  });
});

describe('a poller', () => {
  it('is stopped by await using', async () => {
    const { hub } = stage();
    let kept: ReturnType<typeof hub.poller> | undefined;
    {
      await using poller = hub.poller().on('CREATED', () => {});
      await poller.start();
      kept = poller;
    }
    expect(kept?.health().status).toBe('idle');
  });

  it('reports its instants in whole milliseconds', async () => {
    const { clock, hub } = stage();
    const poller = hub.poller().on('CREATED', () => {});
    await poller.start();
    await clock.advance(0.25);
    const { lastPolledAt = 0.5, nextPollAt = 0.5 } = poller.health();
    expect([Number.isInteger(lastPolledAt), Number.isInteger(nextPollAt)]).toEqual([true, true]);
    await poller.stop();
  });
});
