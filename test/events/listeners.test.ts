import { describe, expect, it } from 'vitest';
import { gate, requestsTo, stage } from '../support.js';
import { pendingListener } from './support.js';

describe('an event whose type is a name of the poller', () => {
  it.each(['event', 'deadLetter', 'error'])('is an event like any other: %s', async (type) => {
    const { clock, mock, hub } = stage();
    const seen: unknown[] = [];
    const poller = hub.poller().on('event', ({ eventType }) => void seen.push(eventType));
    poller.on('deadLetter', () => void seen.push('a dead letter'));
    poller.on('error', () => void seen.push('an error'));
    mock.emit(type);
    await poller.start();
    await clock.advance('2s');
    expect(seen).toEqual([type]);
    expect(mock.pending()).toEqual([]);
  });
});

describe('several listeners that fail', () => {
  it('are reported together, as an AggregateError', async () => {
    const { clock, mock, hub } = stage();
    const errors: unknown[] = [];
    const failed: unknown[] = [];
    const poller = hub.poller().on('CREATED', () => {
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
  });
});

describe('a listener', () => {
  it('that returns a function with a then method is awaited', async () => {
    const { clock, mock, hub } = stage();
    const order: string[] = [];
    const poller = hub.poller();
    poller.on('CREATED', () =>
      Object.assign(() => {}, {
        // biome-ignore lint/suspicious/noThenProperty: the test needs a thenable
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
  });
});

describe('a once listener', () => {
  it('is removed when it has resolved, not when it is called', async () => {
    const { clock, mock, hub } = stage();
    const attempts: number[] = [];
    const poller = hub.poller().on('error', () => {});
    poller.once('CREATED', (_event, { attempt }) => {
      attempts.push(attempt);
      if (attempt < 3) throw new Error('not yet');
    });
    mock.createOrder();
    await poller.start();
    await clock.advance('95s');
    expect(attempts).toEqual([1, 2, 3]);
    expect(mock.acknowledged()).toHaveLength(1);
  });
});

describe('an event whose only listener is a once listener that handles another event', () => {
  it('stays at the hub for as long as that run takes: it is not acknowledged as unhandled, and its listener is not called a second time', async () => {
    const { clock, mock, hub } = stage();
    const { listener, orders: seen, fail } = pendingListener();
    const unhandled: string[] = [];
    const poller = hub.poller().on('error', () => {});
    poller.once('CREATED', listener);
    poller.on('unhandled', ({ event }) => unhandled.push(event.orderId));
    const orders = [mock.createOrder(), mock.createOrder()].map(({ orderId }) => orderId);
    await poller.start();
    orders.push(mock.createOrder().orderId);
    await clock.advance('10m');
    expect(requestsTo(mock, 'polling').length).toBeGreaterThan(10);
    expect([seen, unhandled, mock.acknowledged()]).toEqual([[orders[0]], [], []]);
    expect(poller.health().running).toBe(1);
    // It failed, so it is still registered: all orders wait for it, and it is called for one of them.
    fail(new Error('no paper'));
    await clock.advance('31s');
    expect([seen.length, unhandled]).toEqual([2, []]);
    expect(orders).toContain(seen[1]);
  });

  it('goes to other listeners of its type', async () => {
    const { clock, mock, hub } = stage();
    const pending = gate();
    const seen: string[] = [];
    const poller = hub.poller();
    poller.once('CREATED', async () => {
      seen.push('once');
      await pending.promise;
    });
    poller.on('event', () => void seen.push('event'));
    mock.createOrder();
    const second = mock.createOrder();
    await poller.start();
    await clock.advance('5s');
    expect(seen).toEqual(['once', 'event', 'event']);
    expect(mock.acknowledged().map(({ orderId }) => orderId)).toEqual([second.orderId]);
    pending.open();
    await clock.advance('5s');
    expect(mock.pending()).toEqual([]);
  });

  it('stays at the hub without an error if it is a dead letter', async () => {
    const { clock, mock, hub } = stage();
    const pending = gate();
    const letters: string[] = [];
    const errors: string[] = [];
    const poller = hub.poller({ maxAttempts: 1 }).on('CREATED', () => {
      throw new Error('no paper');
    });
    poller.once('deadLetter', async ({ event }) => {
      letters.push(event.orderId);
      await pending.promise;
    });
    poller.on('error', ({ message }) => errors.push(message));
    const first = mock.createOrder();
    mock.createOrder();
    await poller.start();
    await clock.advance('5s');
    expect([letters, mock.acknowledged()]).toEqual([[first.orderId], []]);
    expect(errors).toEqual(['no paper', 'no paper']);
    // Nor at the polls that bring it again: the listener will decide over it.
    await clock.advance('5m');
    expect(letters).toHaveLength(1);
    expect(errors.filter((message) => message.includes('stays at the hub'))).toEqual([]);
    pending.open();
    await clock.advance('5s');
    expect(mock.acknowledged().map(({ orderId }) => orderId)).toEqual([first.orderId]);
  });
});

describe('off', () => {
  it.each(['acknowledge', 'leave'] as const)(
    'never takes a failed event for an unhandled one after off(), unhandled: %s',
    async (unhandled) => {
      const { clock, mock, hub } = stage();
      const poller = hub.poller({ unhandled }).on('error', () => {});
      const listener = () => {
        throw new Error('broken');
      };
      const emitted: string[] = [];
      poller.on('CREATED', listener);
      poller.on('CONFIRMED', () => {});
      poller.on('unhandled', ({ event }) => emitted.push(event.eventType));
      mock.createOrder();
      await poller.start();
      await clock.advance('5s');
      poller.off('CREATED', listener);
      await clock.advance('5m');
      expect(emitted).toEqual([]);
      expect(mock.acknowledged()).toEqual([]);
      poller.on('CREATED', () => {});
      await clock.advance('31s');
      expect(mock.acknowledged()).toHaveLength(1);
    },
  );
});
