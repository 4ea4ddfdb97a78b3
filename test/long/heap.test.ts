import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { HubClient } from 'opendelivery-client';
import { ManualClock } from 'opendelivery-client/testing';
import { expect, it } from 'vitest';
import { printFigures } from './figures.js';

const EVENTS_PER_POLL = 10;
const DAYS = 7;

setFlagsFromString('--expose_gc');
const collect = runInNewContext('gc') as () => void;

function heapMegabytes(): number {
  for (let count = 0; count < 4; count += 1) collect();
  return process.memoryUsage().heapUsed / 2 ** 20;
}

/** A hub that remembers nothing: only the client's memory can grow. */
function forgetfulHub(): { fetch: typeof fetch; counts: { polled: number; confirmed: number } } {
  const counts = { polled: 0, confirmed: 0 };
  const hub: typeof fetch = async (input, init) => {
    const path = new URL(String(input)).pathname;
    if (path.endsWith('/token'))
      return Response.json({ access_token: `t${counts.polled}`, expires_in: 604_800 });
    if (path.endsWith('/acknowledgment')) {
      counts.confirmed += (JSON.parse(String(init?.body)) as unknown[]).length;
      return new Response(null, { status: 202 });
    }
    return Response.json(
      Array.from({ length: EVENTS_PER_POLL }, () => {
        counts.polled += 1;
        const id = `event-${counts.polled}-of-a-week-in-which-the-heap-stays-flat`;
        return {
          eventId: id,
          eventType: 'PREPARING',
          orderId: `order-${counts.polled}`,
          createdAt: '2026-01-01T00:00:00Z',
        };
      }),
    );
  };
  return { fetch: hub, counts };
}

it('the heap does not grow between the second and the seventh day of ten events per poll', async () => {
  const clock = new ManualClock();
  const { fetch, counts } = forgetfulHub();
  const hub = new HubClient({
    baseUrl: 'https://hub.example',
    clientId: '1',
    clientSecret: 's',
    clock,
    fetch,
    logger: false,
  });
  const poller = hub.poller();
  poller.on('event', () => {});
  await poller.start();
  const before = heapMegabytes();
  const days: number[] = [];
  for (let day = 0; day < DAYS; day += 1) {
    for (let hour = 0; hour < 24; hour += 1) await clock.advance('1h');
    days.push(heapMegabytes());
  }
  await poller.stop();
  await hub.close();
  printFigures('heap in MB after each day of ten events per poll', {
    start: before,
    days: days.map((day) => Number(day.toFixed(1))),
    events: counts.polled,
    confirmed: counts.confirmed,
  });
  expect(counts.confirmed).toBe(counts.polled);
  // Ids are remembered for a day (rememberMs); from then on as many are forgotten as are added.
  expect(Math.max(...days.slice(2))).toBeLessThan((days[1] as number) * 1.1 + 1);
}, 900_000);
