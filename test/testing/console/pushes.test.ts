import { expect, it } from 'vitest';
import { type EventRow, get, opened, send, servedConsole, storesOf } from './support.js';

it('shows where events are pushed, and the latest try of each', async () => {
  const { url, mock, clock } = await servedConsole();
  const statuses = [503, 202];
  const pushing = mock.push(async () => new Response(undefined, { status: statuses.shift() ?? 202 }));
  const { event, orderId } = mock.createOrder();
  const shown = async () => {
    const { about, rows } = await opened<EventRow>(url, 'events');
    const [row] = rows;
    return { pushes: about?.pushes, pushed: row?.pushed, isPending: row?.isPending };
  };
  const at = clock.now();
  const pushes = [{ target: 'mock.push(…)', stores: ['1001'] }];
  await expect.poll(shown).toEqual({ pushes, pushed: { at, attempt: 1, status: 503 }, isPending: true });
  await clock.advance('1s');
  const pushed = { at: at + 1000, attempt: 2, status: 202 };
  await expect.poll(shown).toEqual({ pushes, pushed, isPending: false });
  const { body } = await get(url, `ui/order?clientId=1001&orderId=${orderId}`);
  expect(body.happened[0].pushed).toMatchObject({ eventId: event.eventId, status: 202 });
  pushing.stop();
  expect(await shown()).toEqual({ pushes: [], pushed, isPending: false });
  await send(url, 'POST', 'reset');
  expect(await shown()).toEqual({ pushes: [], pushed: undefined, isPending: undefined });
});

it('says of an address which stores push to it', async () => {
  const { url } = await servedConsole({ stores: storesOf('1001', '2002') });
  const target = 'http://127.0.0.1:1/newEvent';
  for (const [body, shown] of [
    [{ url: target }, ['1001', '2002']],
    [{ url: target, clientId: '2002' }, ['2002']],
  ] as const) {
    await send(url, 'PUT', 'pushes', body);
    expect((await opened(url, 'events&clientId=1001')).about?.pushes).toEqual([{ target, stores: shown }]);
  }
});
