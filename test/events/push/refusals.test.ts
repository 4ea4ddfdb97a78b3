import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { memoryState, PushRefusedError } from 'opendelivery-client';
import { describe, expect, it } from 'vitest';
import { runs } from '../../runs.js';
import { gate } from '../../support.js';
import { processes } from '../support.js';
import { pushOf, running, SECRET, signatureOf, statusOf } from './support.js';

const DAY_MS = 86_400_000;

const eventAt = (at: number, eventId = 'e1') => ({
  eventId,
  eventType: 'CREATED',
  orderId: 'o1',
  createdAt: new Date(at).toISOString(),
});

describe('a pushed request is refused', () => {
  it.each<[number, string, (body: string) => Request]>([
    [405, 'GET', () => new Request('https://pos.example/')],
    [401, 'no signature', (body) => new Request('https://pos.example/', { method: 'POST', body })],
    [401, 'a blank signature', (body) => pushOf(body, { 'x-app-signature': ' ' })],
    [403, 'a signature that is not hex', (body) => pushOf(body, { 'x-app-signature': 'z'.repeat(64) })],
    [403, 'another secret', (body) => pushOf(body, { secret: 'guessed' })],
    [
      403,
      'the signature of another body',
      (body) => pushOf(body, { 'x-app-signature': signatureOf(`${body} `) }),
    ],
    [403, 'a cut signature', (body) => pushOf(body, { 'x-app-signature': signatureOf(body).slice(0, 62) })],
    [
      403,
      'a signature with more digits',
      (body) => pushOf(body, { 'x-app-signature': `${signatureOf(body)}00` }),
    ],
    [
      403,
      'the hash without the secret',
      (body) => pushOf(body, { 'x-app-signature': createHmac('sha256', '').update(body).digest('hex') }),
    ],
    [400, 'a body that is not JSON', () => pushOf('{')],
    [400, 'an empty body', () => pushOf('')],
    [400, 'no event', () => pushOf('[]')],
    [400, 'an event without ids', () => pushOf({ eventType: 'CREATED' })],
    [403, 'an event without a date', () => pushOf({ eventId: 'e', orderId: 'o', eventType: 'CREATED' })],
    [413, 'more than 256 kB', () => pushOf(JSON.stringify('x'.repeat(262_144)))],
  ])('with %i: %s', async (status, _what, requestOf) => {
    const { clock, hub, poller, noted } = await running();
    const body = JSON.stringify(eventAt(clock.now()));
    const response = await poller.receive(requestOf(body));
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ status });
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    if (status === 405) expect(response.headers.get('allow')).toBe('POST');
    expect(noted).toEqual([]);
    const error = await hub.events.verify(requestOf(body)).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(PushRefusedError);
    expect(error).toMatchObject({ code: 'push_refused', status, retryable: false });
  });

  it('with 408 if its body does not arrive within 30 s', async () => {
    const { clock, hub, poller } = await running();
    const slow = () => {
      const stream = new ReadableStream({ start: (controller) => controller.enqueue(Buffer.from('{')) });
      const headers = { 'x-app-signature': signatureOf('{') };
      const init = { method: 'POST', headers, body: stream, duplex: 'half' };
      return new Request('https://pos.example/', init as RequestInit);
    };
    const status = statusOf(poller.receive(slow()));
    const refusal = expect(hub.events.verify(slow())).rejects.toMatchObject({ status: 408, retryable: true });
    await clock.advance('30s');
    expect(await status).toBe(408);
    await refusal;
  });

  it('with 503 and an error that says why if a body parser has read it', async () => {
    const { clock, hub, poller, log } = await running();
    const errors: unknown[] = [];
    const request = pushOf(eventAt(clock.now()));
    await request.text();
    expect(await statusOf(poller.receive(request))).toBe(503);
    expect(log.join()).toContain('before any body parser');
    poller.on('error', (error) => void errors.push(error));
    const read = pushOf(eventAt(clock.now()));
    read.body?.getReader();
    expect(await statusOf(poller.receive(read))).toBe(503);
    expect(errors).toMatchObject([{ code: 'push_refused', message: expect.stringContaining('parseAs') }]);
    const refusal = { status: 503, message: expect.stringContaining('express.json({ verify:') };
    await expect(hub.events.verify(request)).rejects.toMatchObject(refusal);
  });

  it('with one warning, however many there are', async () => {
    const { poller, log } = await running();
    for (const _ of [1, 2, 3]) await poller.receive(pushOf('{}', { secret: 'guessed' }));
    expect(log).toEqual([
      'opendelivery-client: a pushed request gets 403: X-App-Signature is not the HMAC-SHA256 of the body with the client secret; polls bring its event',
    ]);
  });

  it.each([
    [17, 200],
    [19, 403],
    [-5, 200],
    [-7, 403],
  ])('or not, if its event was created %i hours ago: %i', async (hours, status) => {
    const { clock, poller } = await running();
    const push = pushOf(eventAt(clock.now() - hours * 3_600_000));
    expect(await statusOf(poller.receive(push))).toBe(status);
  });

  it('or not, if its date has a space before the zone, as Ruby writes it', async () => {
    const { clock, poller } = await running();
    const [date, time] = new Date(clock.now() - 3 * 3_600_000).toISOString().split(/[T.]/);
    const pushed = { ...eventAt(clock.now()), createdAt: `${date} ${time} -0300` };
    expect(await statusOf(poller.receive(pushOf(pushed)))).toBe(200);
  });
});

describe('a poller that cannot handle events now', () => {
  it('answers 503 to a push that waits when it is stopped, and 200 to the one that is being handled', async () => {
    const { promise, open } = gate();
    const { clock, poller, noted } = await running({}, (poller, noted) => {
      poller.on('event', async ({ eventId }) => {
        await promise;
        noted.push(eventId);
      });
    });
    const statuses = ['first', 'second'].map((id) =>
      statusOf(poller.receive(pushOf(eventAt(clock.now(), id)))),
    );
    await clock.advance('1s');
    const third = statusOf(poller.receive(pushOf(eventAt(clock.now(), 'third'))));
    const stopped = poller.stop();
    open();
    await stopped;
    expect(await Promise.all([...statuses, third])).toEqual([200, expect.any(Number), 503]);
    expect(noted).not.toContain('third');
  });

  it('answers 503 while another process has the lease of the store', async () => {
    const { clock, hubs } = processes(2, memoryState());
    const noted: string[] = [];
    const [first, second] = hubs.map((hub, index) =>
      hub.poller().on('event', ({ eventId }) => void noted.push(`${index} ${eventId}`)),
    ) as [ReturnType<(typeof hubs)[0]['poller']>, ReturnType<(typeof hubs)[0]['poller']>];
    await first.start();
    void second.start().catch(() => {});
    await clock.advance('1s');
    const event = eventAt(clock.now());
    expect(await statusOf(second.receive(pushOf(event)))).toBe(503);
    expect(await statusOf(first.receive(pushOf(event)))).toBe(200);
    await first.stop();
    await clock.advance('31s');
    expect(await statusOf(second.receive(pushOf(event)))).toBe(200);
    expect(noted).toEqual(['0 e1']);
  });
});

describe('secrets of pushes', () => {
  it('are the client secret and those of pushSecrets, each perhaps from a function', async () => {
    let rotated = 'second';
    const { clock, poller } = await running({ poller: { pushSecrets: ['old', () => rotated] } });
    const push = (secret: string) => statusOf(poller.receive(pushOf(eventAt(clock.now()), { secret })));
    expect([await push(SECRET), await push('old'), await push('second')]).toEqual([200, 200, 200]);
    rotated = 'third';
    expect([await push('second'), await push('third')]).toEqual([403, 200]);
  });

  it('that a function does not return leave the others in use; what none of these fits gets 503, and the error says why', async () => {
    const { clock, poller, log } = await running({ poller: { pushSecrets: [() => ''] } });
    const push = (secret: string) => statusOf(poller.receive(pushOf(eventAt(clock.now()), { secret })));
    expect([await push(SECRET), await push('another')]).toEqual([200, 503]);
    expect(log.join()).toContain('pushSecrets');
  });

  it('are masked in what is logged', async () => {
    const { clock, poller, log } = await running({ poller: { pushSecrets: ['an-old-secret'] } }, (poller) => {
      poller.on('event', () => {
        throw new Error('refused an-old-secret');
      });
    });
    await poller.receive(pushOf(eventAt(clock.now())));
    expect(log.join()).toContain('refused');
    expect(log.join()).not.toContain('an-old-secret');
  });
});

describe('forged, altered and replayed pushes', () => {
  const RUNS = runs(20_000, 40);

  it(`are not handled in ${RUNS} tries`, async () => {
    const { clock, poller, noted } = await running();
    const genuine = JSON.stringify(eventAt(clock.now()));
    const signature = signatureOf(genuine);
    expect(await statusOf(poller.receive(pushOf(genuine)))).toBe(200);
    const position = fc.nat(genuine.length - 1);
    const altered = fc.tuple(position, fc.string({ minLength: 0, maxLength: 3 })).map(([at, text]) => ({
      body: genuine.slice(0, at) + text + genuine.slice(at + 1),
      signature,
    }));
    const forged = fc.record({
      body: fc.constant(genuine.replace('e1', 'e2')),
      signature: fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 60, maxLength: 68 }),
    });
    const guessed = fc
      .string()
      .filter((secret) => secret !== SECRET)
      .map((secret) => ({
        body: genuine.replace('e1', 'e3'),
        signature: signatureOf(genuine.replace('e1', 'e3'), secret),
      }));
    const replayed = fc.constant({ body: genuine, signature });
    for (const { body, signature } of fc.sample(fc.oneof(altered, forged, guessed, replayed), {
      numRuns: RUNS,
      seed: 20_261_122,
    })) {
      const status = await statusOf(poller.receive(pushOf(body, { 'x-app-signature': signature })));
      expect(status).toBe(body === genuine ? 200 : 403);
    }
    expect(noted).toEqual(['e1']);
  });

  it('are not handled when the mark of the first one has ended', async () => {
    const { clock, poller, noted } = await running({ poller: { intervalMs: 3_600_000 } });
    // The hub's clock is nearly six hours ahead, the most that is accepted.
    const event = eventAt(clock.now() + DAY_MS / 4 - 1000);
    expect(await statusOf(poller.receive(pushOf(event)))).toBe(200);
    await clock.advance('24h');
    expect(await statusOf(poller.receive(pushOf(event)))).toBe(403);
    expect(noted).toEqual(['e1']);
  });
});
