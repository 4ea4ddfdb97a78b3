import { describe, expect, it } from 'vitest';
import { ordered } from './support.js';

const STARTED = Date.parse('2026-01-05T12:00:00Z');

describe('unanswered-order', () => {
  it('reports an order that got neither confirm nor requestCancellation in ten minutes, with its id', async () => {
    const { clock, mock, orderId } = await ordered();
    await clock.advance(599_999);
    expect(mock.violations()).toEqual([]);
    await clock.advance(1);
    const violation = {
      rule: 'unanswered-order',
      endpoint: 'orderStatus',
      at: STARTED + 600_000,
      message: `order ${orderId} got neither confirm nor requestCancellation within 10 min; send one of them`,
    };
    expect(mock.violations()).toEqual([violation]);
    await clock.advance('1h');
    expect(mock.violations()).toEqual([violation]);
  });

  it.each(['confirm', 'requestCancellation'])(
    'accepts %s as an answer, also if the hub denies it',
    async (name) => {
      const { clock, command, rules } = await ordered({ cancellation: 'deny' });
      await clock.advance('9m');
      expect((await command(name)).status).toBe(202);
      await clock.advance('1h');
      expect(rules()).toEqual([]);
    },
  );

  it('reports an answer that came too late, once', async () => {
    const { clock, command, rules } = await ordered();
    await clock.advance('11m');
    await command('confirm');
    await command('preparing');
    expect(rules()).toEqual(['unanswered-order']);
  });

  it('does not wait for an order that the hub has cancelled', async () => {
    const { clock, emit, rules } = await ordered();
    emit('CANCELLED');
    await clock.advance('1h');
    expect(rules()).toEqual([]);
  });

  it('does not depend on the wall clock', async () => {
    const { clock, mock } = await ordered();
    clock.step(3_600_000);
    expect(mock.violations()).toEqual([]);
  });
});

describe('unanswered-cancellation', () => {
  async function requested() {
    const all = await ordered();
    await all.command('confirm');
    await all.clock.advance('1h');
    all.emit('ORDER_CANCELLATION_REQUEST');
    return all;
  }

  it('reports a request that was not answered in ten minutes, with the id of its order', async () => {
    const { clock, mock, orderId } = await requested();
    await clock.advance('10m');
    expect(mock.violations()).toEqual([
      {
        rule: 'unanswered-cancellation',
        endpoint: 'orderStatus',
        at: STARTED + 70 * 60_000,
        message: `the cancellation request for order ${orderId} was not answered within 10 min; send acceptCancellation or denyCancellation`,
      },
    ]);
  });

  it.each(['acceptCancellation', 'denyCancellation'])('accepts %s as an answer', async (name) => {
    const { clock, command, rules } = await requested();
    await clock.advance('9m');
    expect((await command(name)).status).toBe(204);
    await clock.advance('1h');
    expect(rules()).toEqual([]);
  });

  it.each(['CANCELLED', 'CONCLUDED'])('does not wait after %s', async (eventType) => {
    const { clock, emit, rules } = await requested();
    emit(eventType, 'ORDER_CANCELLATION_REQUEST');
    await clock.advance('1h');
    expect(rules()).toEqual([]);
  });

  it('counts each request of an order from its own time', async () => {
    const { clock, emit, command, rules } = await requested();
    await command('denyCancellation');
    await clock.advance('9m');
    emit('ORDER_CANCELLATION_REQUEST', 'ORDER_CANCELLATION_REQUEST');
    await clock.advance('9m');
    expect(rules()).toEqual([]);
    await clock.advance('1m');
    expect(rules()).toEqual(['unanswered-cancellation']);
  });
});

describe('violations', () => {
  it('are sorted by their time, over all stores and rules', async () => {
    const { clock, mock } = await ordered({ unansweredAfterMs: 60_000 });
    mock.addStore({ clientId: '2002', clientSecret: 'secret', apiKey: 'key' });
    mock.createOrder({ clientId: '2002' });
    await clock.advance('30s');
    await mock.fetch(`${mock.baseUrl}/nowhere`);
    await clock.advance('1m');
    await mock.fetch(`${mock.baseUrl}/nowhere`);
    expect(mock.violations().map(({ rule, at }) => [rule, (at - STARTED) / 1000])).toEqual([
      ['unknown-path', 30],
      ['unanswered-order', 60],
      ['unanswered-order', 60],
      ['unknown-path', 90],
    ]);
  });

  it('wait as long as unansweredAfterMs says, or for ever', async () => {
    const { clock, rules } = await ordered({ unansweredAfterMs: Number.POSITIVE_INFINITY });
    await clock.advance('30d');
    expect(rules()).toEqual([]);
    const short = await ordered({ unansweredAfterMs: 90_000 });
    await short.clock.advance('90s');
    expect(short.mock.violations()[0]?.message).toContain('within 1.5 min');
  });
});
