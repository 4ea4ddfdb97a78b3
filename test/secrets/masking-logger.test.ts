import { inspect } from 'node:util';
import type { Logger } from 'opendelivery-client';
import { describe, expect, it } from 'vitest';
import { stage } from '../support.js';

/** What a client logs when a listener throws. */
async function logOf(thrown: (secret: string) => unknown) {
  const lines: unknown[][] = [];
  const keep = (...line: unknown[]) => void lines.push(line);
  const logger: Logger = { debug: keep, info: keep, warn: keep, error: keep };
  const { clock, mock, hub } = stage({}, { logger });
  const { event } = mock.createOrder();
  const poller = hub.poller();
  poller.on('CREATED', () => {
    throw thrown(mock.credentials.clientSecret);
  });
  await poller.start();
  await clock.advance('2s');
  await poller.stop();
  return { lines, event, secret: mock.credentials.clientSecret };
}

describe('the log of a failed listener', () => {
  it.each<[string, (secret: string) => unknown]>([
    ['in its message', (secret) => new Error(`refused with ${secret}`)],
    [
      'in a header of the request it sent',
      (secret) => Object.assign(new Error('refused'), { config: { headers: { secret } } }),
    ],
    [
      'in its cause',
      (secret) => new Error('refused', { cause: new Error(`by ${encodeURIComponent(secret)}`) }),
    ],
    ['in an error of an AggregateError', (secret) => new AggregateError([new Error(secret)], 'refused')],
    [
      'in a hidden field',
      (secret) => Object.defineProperty(new Error('refused'), 'hidden', { value: secret }),
    ],
    ['thrown as a string', (secret) => secret],
  ])('contains no secret that is %s', async (_where, thrown) => {
    const { lines, secret } = await logOf(thrown);
    expect(lines).toHaveLength(1);
    expect(inspect(lines, { depth: 9, showHidden: true })).not.toContain(secret);
  });

  it('contains the error itself if nothing in it is secret, and names the event', async () => {
    const error = Object.assign(new TypeError('out of paper'), { code: 'E_PAPER' });
    const { lines, event } = await logOf(() => error);
    expect(lines).toEqual([
      [
        'opendelivery-client: a listener of CREATED failed; the event stays at the hub, which sends it again',
        { error, eventId: event.eventId, orderId: event.orderId, attempt: 1 },
      ],
    ]);
    const [[, fields] = []] = lines;
    expect(Reflect.get(fields as object, 'error')).toBe(error);
  });
});
