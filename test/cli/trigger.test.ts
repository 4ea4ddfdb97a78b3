import { createMockHub } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { served } from '../temporary.js';
import { servedConsole } from '../testing/console/support.js';
import { exits } from './support.js';

/** A mock hub as `opendelivery mock` serves it, and the command. */
async function running() {
  const { clock, mock, url } = await servedConsole();
  const trigger = (commandLine: string, code = 0) =>
    exits(code, `trigger ${commandLine} --url ${url}`, { clock });
  return { mock, trigger };
}

const types = (events: readonly { eventType: string }[]) => events.map(({ eventType }) => eventType);

describe('opendelivery trigger order', () => {
  it('creates an order and prints its number, kind, amount and id', async () => {
    const { mock, trigger } = await running();
    const { out, err } = await trigger('order');
    const [event] = mock.pending();
    expect(err).toBe('');
    expect(out).toBe(`created order 1001  DELIVERY, INSTANT  BRL 62.80  ${event?.orderId}\n`);
    expect(types(mock.pending())).toEqual(['CREATED']);
  });

  it('creates every kind that createOrder knows, several at once, as JSON', async () => {
    const { trigger } = await running();
    const options = '--type takeout --timing Scheduled --include options,change --count 2 --json';
    const { out } = await trigger(`order ${options}`);
    const created = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(created).toHaveLength(2);
    for (const { order, event } of created) {
      expect(event.eventType).toBe('CREATED');
      expect(order).toMatchObject({
        type: 'TAKEOUT',
        orderTiming: 'SCHEDULED',
        items: [{ options: [{}] }],
        payments: { methods: [{ method: 'CASH' }] },
      });
    }
  });

  it('creates it for another store', async () => {
    const { mock, trigger } = await running();
    mock.addStore({ clientId: '2002', clientSecret: 'secret', apiKey: 'key' });
    await trigger('order --store 2002');
    expect(mock.pending()).toEqual([]);
    expect(types(mock.pending('2002'))).toEqual(['CREATED']);
  });
});

describe('opendelivery trigger event', () => {
  it.each(['CANCELLED', 'cancelled'])(
    'emits an event for the newest open order, not for one that is %s',
    async (final) => {
      const { mock, trigger } = await running();
      const { orderId } = mock.createOrder();
      mock.emit(final, { orderId: mock.createOrder().orderId });
      const { out } = await trigger('event CONFIRMED');
      expect(out).toBe(`emitted CONFIRMED for order ${orderId}\n`);
      expect(mock.pending().at(-1)).toMatchObject({ eventType: 'CONFIRMED', orderId });
    },
  );

  it('emits any type for any order, with metadata, as JSON', async () => {
    const { mock, trigger } = await running();
    const { out } = await trigger('event LOYALTY_POINTS --order o-1 --metadata {"points":7} --json');
    expect(JSON.parse(out)).toMatchObject({
      eventId: mock.pending()[0]?.eventId,
      eventType: 'LOYALTY_POINTS',
      orderId: 'o-1',
      metadata: { points: 7 },
    });
  });
});

describe('opendelivery trigger cancellation', () => {
  it("requests the cancellation with the standard's metadata", async () => {
    const { mock, trigger } = await running();
    const { orderId } = mock.createOrder();
    await trigger('cancellation --reason late');
    expect(mock.pending().at(-1)).toMatchObject({
      eventType: 'ORDER_CANCELLATION_REQUEST',
      orderId,
      metadata: { reason: 'late', code: 'CONSUMER_CANCELLATION_REQUESTED' },
    });
  });
});

describe('opendelivery trigger', () => {
  it('says how to start a mock hub if none runs', async () => {
    const { url, close } = await createMockHub().listen();
    await close();
    const ran = await exits(2, `trigger order --url ${url}`);
    expect(ran.err).toBe(
      `error: --url: no mock hub responds at ${url} (connect ECONNREFUSED ${new URL(url).host}); start one with \`npx opendelivery mock\`, or give its address with --url\n`,
    );
    expect(ran.out).toBe('');
  });

  it.each([
    ['a page', 200, '<html>'],
    ['another API', 404, '{"error":"not found"}'],
  ])('says that %s is not a mock hub', async (_, status, text) => {
    const url = await served((_request, response) => void response.writeHead(status).end(text));
    const ran = await exits(2, `trigger order --url ${url}/`);
    expect(ran.err).toContain(`error: --url: the server at ${url} is not a mock hub; start one with`);
  });

  it('says that the mock hub has no open order, and what to do', async () => {
    const { trigger } = await running();
    for (const command of ['cancellation', 'event CONFIRMED']) {
      const { err } = await trigger(command, 2);
      expect(err).toBe(
        'error: --order: the store has no open order; create one with `npx opendelivery trigger order`, or name one with --order <id>\n',
      );
    }
  });

  it('says that the mock hub has no such store', async () => {
    const { trigger } = await running();
    for (const command of ['order --store 9', 'cancellation --store 9']) {
      const { err } = await trigger(command, 2);
      expect(err).toContain("error: --store: the mock hub has no store with clientId '9'");
    }
  });

  it.each([
    ['', 'Usage: opendelivery trigger'],
    ['ordre', "unknown command 'ordre'"],
    ['event', "missing required argument 'type'"],
    ['order --type drone', 'It must be one of DELIVERY, TAKEOUT, INDOOR.'],
    ['order --include cheese', 'It must be some of options, discounts, fees, change'],
    ['order --count 0', 'It must be a whole number from 1 to 10000.'],
    ['event X --metadata [1]', 'It must be a JSON object'],
    ['order --url here', 'It must be an address'],
  ])('`trigger %s` exits with 2 and says why', async (commandLine, reason) => {
    const ran = await exits(2, `trigger ${commandLine}`);
    expect(ran.err).toContain(reason);
    expect(ran.out).toBe('');
  });
});
