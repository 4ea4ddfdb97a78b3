import { createMockHub, scaledClock } from 'opendelivery-client/testing';
import { expect, it, onTestFinished } from 'vitest';
import { get, send, servedConsole } from './console/support.js';

it('jumps with a scaled clock, and wakes who sleeps until then', async () => {
  const clock = scaledClock(1);
  const { url } = await servedConsole({ clock });
  const before = clock.now();
  let isAwake = false;
  const sleep = clock.sleep(7_200_000).then(() => {
    isAwake = true;
  });
  const long = new AbortController();
  const longer = clock.sleep(8_000_000, long.signal);
  expect((await send(url, 'POST', 'clock', { advance: '119m' })).status).toBe(200);
  expect(isAwake).toBe(false);
  await send(url, 'POST', 'clock', { advance: '1m' });
  await sleep;
  expect(clock.now() - before).toBeGreaterThanOrEqual(7_200_000);
  long.abort('enough');
  await expect(longer).rejects.toBe('enough');
});

it('gives whole milliseconds, as the system clock does', async () => {
  const clock = scaledClock(1.1);
  await clock.sleep(7.7);
  expect(Number.isInteger(clock.now())).toBe(true);
});

it('changes the speed, also for who sleeps already', async () => {
  const clock = scaledClock(1);
  const { url } = await servedConsole({ clock });
  const sleep = clock.sleep(3_600_000);
  const before = clock.monotonic();
  await send(url, 'POST', 'clock', { speed: 100_000_000 });
  await sleep;
  expect(clock.monotonic() - before).toBeGreaterThanOrEqual(3_600_000);
  expect((await get(url, 'clock')).body).toMatchObject({ kind: 'scaled', speed: 100_000_000 });
  expect(() => {
    (clock as { factor?: number }).factor = 0;
  }).toThrow('factor must be a finite number greater than 0');
});

it('names the field that it refuses', async () => {
  const { url } = await servedConsole({ clock: scaledClock(1) });
  const { status, body } = await send(url, 'POST', 'clock', { speed: 0 });
  expect([status, body.title]).toEqual([400, expect.stringContaining('speed: must be greater than 0')]);
});

it('says that the system clock cannot be moved', async () => {
  const { url, close } = await createMockHub().listen();
  onTestFinished(close);
  const { status, body } = await send(url, 'POST', 'clock', { advance: '2h' });
  expect(status).toBe(400);
  expect(body.title).toContain('the system clock, which cannot be moved; start it with `opendelivery mock`');
  expect((await get(url, 'clock')).body.kind).toBe('system');
});
