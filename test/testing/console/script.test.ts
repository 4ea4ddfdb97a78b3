import { expect, it } from 'vitest';
import { opendelivery, servedMock } from '../../cli/support.js';
import { soon } from '../../soon.js';
import { fileWith } from '../../temporary.js';
import { get, send, servedConsole } from './support.js';

it('records what a person did, and plays it again at another hub', async () => {
  const { url, mock, clock } = await servedConsole();
  const { body: made } = await send(url, 'POST', 'orders', { type: 'TAKEOUT', clientId: '1001' });
  await clock.advance('90s');
  await send(url, 'POST', 'events', { eventType: 'CONFIRMED', orderId: made.orderId });
  await send(url, 'POST', 'refusals', { eventId: made.event.eventId });
  await send(url, 'POST', 'faults', { endpoint: 'polling', fault: 503 });
  await send(url, 'POST', 'clock', { advance: '2h' });
  await send(url, 'PATCH', 'merchant?clientId=1001', { status: 'UNAVAILABLE' });
  await get(url, 'events');
  await send(url, 'POST', 'orders', { type: 7, include: 'x' }); // refused, so not recorded
  const { body: script } = await get(url, 'ui/script');
  const { orderId } = made;
  expect(script.steps).toEqual([
    { at: '0s', request: 'POST orders', body: { type: 'TAKEOUT', clientId: '1001', orderId } },
    { at: '1m30s', request: 'POST events', body: { eventType: 'CONFIRMED', orderId } },
    { at: '1m30s', request: 'POST refusals', body: { clientId: '1001', orderId, eventType: 'CREATED' } },
    { at: '1m30s', request: 'POST faults', body: { endpoint: 'polling', fault: 503 } },
    { at: '1m30s', request: 'POST clock', body: { advance: '2h' } },
    { at: '2h1m30s', request: 'PATCH merchant', body: { clientId: '1001', status: 'UNAVAILABLE' } },
  ]);

  const other = await servedMock(`--script ${fileWith(JSON.stringify(script), 'script.json')}`);
  await other.clock.advance('2h');
  expect(other.ran.out).not.toContain('has ended');
  await other.clock.advance('90s');
  await soon(() => expect(other.ran.out).toContain('has ended; the mock hub keeps running'));
  const typesOf = (events: readonly { orderId: string; eventType: string }[]) =>
    events.map((event) => [event.orderId, event.eventType]);
  const { body: replayed } = await get(other.url, 'events');
  expect(typesOf(replayed.emitted)).toEqual(typesOf(mock.emitted()));
  const api = `${other.url}/opendelivery/v1`;
  expect((await fetch(`${api}/events:polling`)).status).toBe(503);
  const merchant = await fetch(`${api}/merchant`, { headers: { 'x-api-key': 'mock-api-key' } });
  expect(await merchant.json()).toMatchObject({ status: 'UNAVAILABLE' });

  await send(url, 'DELETE', 'ui/script');
  expect((await get(url, 'ui/script')).body.steps).toEqual([]);
});

it('records the requests to the paths of one store, its reset included, and plays them again', async () => {
  const { url } = await servedConsole();
  await send(url, 'POST', 'orders', { orderId: 'before' });
  await send(url, 'POST', 'stores/1001/reset');
  await send(url, 'POST', 'stores/1001/faults', { endpoint: 'merchant', fault: 503 });
  const { body: script } = await get(url, 'ui/script');
  expect(script.steps).toEqual([
    { at: '0s', request: 'POST orders', body: { orderId: 'before' } },
    { at: '0s', request: 'POST reset', body: { clientId: '1001' } },
    { at: '0s', request: 'POST faults', body: { clientId: '1001', endpoint: 'merchant', fault: 503 } },
  ]);
  const other = await servedMock(`--script ${fileWith(JSON.stringify(script), 'script.json')}`);
  await soon(() => expect(other.ran.out).toContain('has ended'));
  expect((await get(other.url, 'events')).body.emitted).toEqual([]);
  const merchant = `${other.url}/opendelivery/v1/merchant`;
  expect((await fetch(merchant, { headers: { 'x-api-key': 'mock-api-key' } })).status).toBe(503);
  await send(url, 'POST', 'reset');
  expect((await get(url, 'ui/script')).body.steps).toEqual([]);
});

it.each([
  [{ at: '0s', request: 'POST nothing' }, 'step 1 (POST nothing): the control API has no such request'],
  [{ at: '0s', request: 'POST events', body: {} }, 'step 1 (POST events): eventType: is missing'],
  [
    { at: '0s', request: 'POST redeliveries', body: { orderId: 'a', eventType: 'CREATED' } },
    "step 1 (POST redeliveries): the mock hub has not emitted CREATED for the order 'a'",
  ],
])('names the step that cannot be played: %j', async (step, message) => {
  const file = fileWith(JSON.stringify({ steps: [step] }), 'script.json');
  const ran = opendelivery(`mock --port 0 --script ${file}`);
  expect(await ran.code).not.toBe(0);
  expect(ran.err).toContain(message);
});

it('does not record added stores, whose credentials would be in the file', async () => {
  const { url } = await servedConsole();
  await send(url, 'POST', 'stores', { clientId: '2002', clientSecret: 'short', apiKey: 'key' });
  await send(url, 'POST', 'orders', { clientId: '2002' });
  const { steps } = (await get(url, 'ui/script')).body;
  expect(steps.map(({ request }: { request: string }) => request)).toEqual(['POST orders']);
  await send(url, 'POST', 'reset');
  expect((await get(url, 'ui/script')).body.steps).toEqual([]);
});
