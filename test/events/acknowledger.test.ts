import { ClosedError, type OrderEvent } from 'opendelivery-client';
import { ManualClock } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { Acknowledger } from '../../src/events/acknowledger.js';
import type { AcknowledgeResult } from '../../src/events/client.js';
import { Entry } from '../../src/events/entry.js';
import { gate } from '../support.js';

const entry = (id: number): Entry =>
  new Entry({ eventId: `e${id}`, orderId: 'o', eventType: 'CREATED' } as OrderEvent, `e${id}#`, 0, 1);

/** An acknowledger whose hub accepts everything, and the sizes of what it sent. */
function acknowledgerOf(send?: (events: readonly OrderEvent[]) => Promise<AcknowledgeResult>) {
  const clock = new ManualClock();
  const state = { isSaturated: false, mayAcknowledge: true };
  const sent: number[] = [];
  const acknowledged: string[] = [];
  const failed: [readonly string[], unknown][] = [];
  const acknowledger = new Acknowledger({
    clock,
    mayAcknowledge: () => state.mayAcknowledge,
    isSaturated: () => state.isSaturated,
    send: async (events) => {
      sent.push(events.length);
      return send ? send(events) : { acknowledged: events.map(({ eventId }) => eventId), rejected: [] };
    },
    onAcknowledged: (eventIds) => acknowledged.push(...eventIds),
    onFailed: (eventIds, error) => failed.push([eventIds, error]),
  });
  const add = (count: number) => {
    for (let id = 0; id < count; id += 1) acknowledger.add(entry(id));
  };
  return { clock, state, sent, acknowledged, failed, acknowledger, add };
}

describe('the acknowledger', () => {
  it('sends a batch as soon as it has 100 events, and a smaller one after a second', async () => {
    const { clock, sent, acknowledged, add } = acknowledgerOf();
    add(250);
    expect(sent).toEqual([100, 100]);
    await clock.advance(999);
    expect(sent).toEqual([100, 100]);
    await clock.advance(1);
    expect(sent).toEqual([100, 100, 50]);
    expect(acknowledged).toHaveLength(250);
    expect(clock.sleepers).toBe(0);
  });

  it('collects more than 100 events while another request would have to wait', async () => {
    const { state, sent, add, acknowledger } = acknowledgerOf();
    state.isSaturated = true;
    add(350);
    expect(sent).toEqual([]);
    state.isSaturated = false;
    add(1);
    expect(sent).toEqual([100]);
    await acknowledger.flush();
    expect(sent).toEqual([100, 251]);
  });

  it('flushes: sends the queue at once and waits for every request', async () => {
    const response = gate<AcknowledgeResult>();
    const { clock, add, acknowledger } = acknowledgerOf(() => response.promise);
    add(1);
    let isFlushed = false;
    const flushed = acknowledger.flush()?.then(() => {
      isFlushed = true;
    });
    await clock.advance('1m');
    expect(isFlushed).toBe(false);
    response.open({ acknowledged: ['e0'], rejected: [] });
    await flushed;
    expect(clock.sleepers).toBe(0);
  });

  it('sends at once what is added after the last flush, and leaves no timer', async () => {
    const { clock, sent, add, acknowledger } = acknowledgerOf();
    await acknowledger.drain();
    add(2);
    expect(sent).toEqual([1, 1]);
    expect(clock.sleepers).toBe(0);
  });

  it('does not send an event that may no longer be acknowledged', async () => {
    const { state, sent, add, acknowledger } = acknowledgerOf();
    add(3);
    state.mayAcknowledge = false;
    await acknowledger.flush();
    expect(sent).toEqual([]);
  });

  it('reports each error once, with all its ids', async () => {
    const [one, two] = [new ClosedError('one'), new ClosedError('two')];
    const rejected = [
      { eventId: 'e0', error: one },
      { eventId: 'e1', error: two },
      { eventId: 'e2', error: one },
    ];
    const { failed, acknowledged, add, acknowledger } = acknowledgerOf(async () => ({
      acknowledged: ['e3'],
      rejected,
    }));
    add(4);
    await acknowledger.flush();
    expect(acknowledged).toEqual(['e3']);
    expect(failed).toEqual([
      [['e0', 'e2'], one],
      [['e1'], two],
    ]);
  });

  it('reports all ids of a request that could not be sent', async () => {
    const error = new Error('no network');
    const { failed, add, acknowledger } = acknowledgerOf(() => Promise.reject(error));
    add(2);
    await acknowledger.flush();
    expect(failed).toEqual([[['e0', 'e1'], error]]);
  });
});
