import { afterEach, describe, expect, it, vi } from 'vitest';
import { answered } from '../answered.js';
import { gate, stage } from '../support.js';

afterEach(() => void vi.unstubAllEnvs());

describe('the events of one order', () => {
  it('are dispatched strictly one after another, in parallel to other orders', async () => {
    const { clock, mock, hub } = stage();
    const slow = gate();
    const log: string[] = [];
    const [a, b] = [mock.createOrder().orderId, mock.createOrder().orderId];
    mock.emit('CONFIRMED', { orderId: a });
    mock.emit('CONFIRMED', { orderId: b });
    const poller = hub.poller().on('event', async ({ orderId, eventType }) => {
      const name = `${orderId === a ? 'a' : 'b'} ${eventType}`;
      log.push(`begin ${name}`);
      if (orderId === a && eventType === 'CREATED') await slow.promise;
      else await clock.sleep(1000);
      log.push(`end ${name}`);
    });
    await poller.start();
    await clock.advance('5s');
    expect(log).toEqual([
      'begin a CREATED',
      'begin b CREATED',
      'end b CREATED',
      'begin b CONFIRMED',
      'end b CONFIRMED',
    ]);
    slow.open();
    await clock.advance('5s');
    expect(log.slice(5)).toEqual(['end a CREATED', 'begin a CONFIRMED', 'end a CONFIRMED']);
  });

  const EARLY = '2026-11-01T12:00:00Z';
  const LATE = '2026-11-01T09:00:01-03:00';

  it.each<[what: string, given: readonly [type: string, createdAt?: string][], handled: readonly string[]]>([
    [
      'by the instant of createdAt, whatever its time zone',
      [
        ['CONFIRMED', LATE],
        ['PREPARING', EARLY],
      ],
      ['PREPARING', 'CONFIRMED'],
    ],
    [
      'by lifecycle rank if createdAt is the same, then by arrival',
      [
        ['CANCELLED', EARLY],
        ['REFUNDED', EARLY],
        ['CONFIRMED', EARLY],
        ['CREATED', EARLY],
        ['ANOTHER', EARLY],
      ],
      ['CREATED', 'CONFIRMED', 'CANCELLED', 'REFUNDED', 'ANOTHER'],
    ],
    [
      'by lifecycle rank if one has no readable createdAt',
      [['CONFIRMED', EARLY], ['DELIVERED', 'soon'], ['PREPARING']],
      ['CONFIRMED', 'PREPARING', 'DELIVERED'],
    ],
    [
      'by lifecycle rank if one has the year 1 for a missing createdAt',
      [
        ['CREATED', EARLY],
        ['CANCELLED', '0001-01-01T00:00:00'],
      ],
      ['CREATED', 'CANCELLED'],
    ],
    [
      'as UTC without a zone, whatever the zone of the process',
      [
        ['CONFIRMED', '2026-11-01T12:00:00'],
        ['CANCELLED', '2026-11-01T12:01:00Z'],
        ['CREATED', '2026-11-01T11:59:00Z'],
      ],
      ['CREATED', 'CONFIRMED', 'CANCELLED'],
    ],
  ])('of one poll are handled in sequence: %s', async (_what, given, handled) => {
    vi.stubEnv('TZ', 'America/Sao_Paulo');
    const seen: string[] = [];
    const events = given.map(([eventType, createdAt], id) => ({
      eventId: `e${id}`,
      orderId: 'o',
      eventType,
      createdAt,
    }));
    await answered(
      (hub) =>
        hub
          .poller()
          .on('event', ({ eventType }) => void seen.push(eventType))
          .runOnce(),
      () => Response.json(events),
    );
    expect(seen).toEqual(handled);
  });

  it('come after those of new orders, and otherwise in the order of their arrival', async () => {
    const { mock, hub } = stage();
    const seen: string[] = [];
    mock.emit('CONFIRMED', { orderId: 'a' });
    mock.createOrder({ orderId: 'b' });
    mock.emit('DELIVERED', { orderId: 'c' });
    mock.emit('PREPARING', { orderId: 'a' });
    const poller = hub.poller({ concurrency: 1 });
    await poller.on('event', ({ orderId, eventType }) => void seen.push(`${orderId} ${eventType}`)).runOnce();
    expect(seen).toEqual(['b CREATED', 'a CONFIRMED', 'a PREPARING', 'c DELIVERED']);
  });

  it.each([
    ['per-order', ['CREATED']],
    ['none', ['CREATED', 'CONFIRMED']],
  ] as const)(
    'are blocked by an earlier one that failed, unless ordering is none: %s',
    async (ordering, expected) => {
      const { clock, mock, hub } = stage();
      const seen: string[] = [];
      const { orderId } = mock.createOrder();
      mock.emit('CONFIRMED', { orderId });
      const other = mock.createOrder();
      const poller = hub.poller({ ordering }).on('error', () => {});
      poller.on('event', (event) => {
        if (event.orderId !== orderId) return;
        seen.push(event.eventType);
        if (event.eventType === 'CREATED') throw new Error('bad');
      });
      await poller.start();
      await clock.advance('5s');
      expect(seen).toEqual(expected);
      expect(mock.acknowledged().map(({ orderId: id }) => id)).toContain(other.orderId);
    },
  );

  it.each([
    [{ concurrency: 3 }, 3],
    [{}, 8],
  ])(
    'run for at most as many orders at a time as concurrency allows: with %j %i',
    async (options, expected) => {
      const { clock, mock, hub } = stage();
      let running = 0;
      let most = 0;
      for (let count = 0; count < 20; count += 1) mock.createOrder();
      const poller = hub.poller(options).on('CREATED', async () => {
        running += 1;
        most = Math.max(most, running);
        await clock.sleep(500);
        running -= 1;
      });
      await poller.start();
      await clock.advance('20s');
      expect(most).toBe(expected);
      expect(mock.pending()).toEqual([]);
    },
  );
});

describe('dead letters', () => {
  it('go to their listeners after maxAttempts, which decide over them', async () => {
    const { clock, mock, hub } = stage();
    const letters: unknown[] = [];
    let calls = 0;
    const poller = hub.poller({ maxAttempts: 3 }).on('error', () => {});
    poller.on('CREATED', () => {
      calls += 1;
      throw new Error(`bad ${calls}`);
    });
    poller.on('deadLetter', async ({ event, attempts, error }) => {
      letters.push([event.eventType, attempts, String(error)]);
      if (letters.length === 1) throw new Error('the dead-letter table is locked');
    });
    mock.createOrder();
    await poller.start();
    await clock.advance('6m');
    expect(calls).toBe(3);
    expect(letters).toEqual([
      ['CREATED', 3, 'Error: bad 3'],
      ['CREATED', 3, 'Error: bad 3'],
    ]);
    expect(mock.acknowledged()).toHaveLength(1);
  });

  it('without listeners stay at the hub, and are reported once', async () => {
    const { clock, mock, hub } = stage();
    let calls = 0;
    const emitted: string[] = [];
    const poller = hub.poller({ maxAttempts: 2 }).on('error', (error) => emitted.push(error.message));
    poller.on('CREATED', () => {
      calls += 1;
      throw new Error('bad');
    });
    const { event } = mock.createOrder();
    await poller.start();
    await clock.advance('10m');
    expect(calls).toBe(2);
    expect(emitted.filter((message) => message.includes('deadLetter'))).toHaveLength(1);
    expect((await poller.stop()).unacknowledged).toEqual([event.eventId]);
  });
});
