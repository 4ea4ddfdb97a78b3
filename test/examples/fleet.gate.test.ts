import { ManualClock } from 'opendelivery-client/testing';
import { expect, it } from 'vitest';
import { main } from '../../examples/fleet.js';

it('examples/fleet.ts polls two hundred stores, and one that fails does not hold up the others', async () => {
  const clock = new ManualClock();
  const lines: string[] = [];
  const ended = main(clock, 3, (line) => lines.push(line));
  await clock.advance('4m');
  expect(await ended).toMatchObject({ stores: 200, polling: 199, refused: 1, running: 0 });
  // It is tried again after two and a half to five minutes.
  const refusals = lines.filter((line) => line.startsWith('restaurant-13: '));
  expect([1, 2]).toContain(refusals.length);
  expect(lines).toContain('restaurant-7: its printer is out of paper');
  expect(lines.find((line) => line.startsWith('minute 3: '))).toMatch(
    /^minute 3: [3-9]\d orders saved; 199 stores polled, 0 backing off, 1 refused; 0 listeners running, \d+ events open/,
  );
  expect(lines.at(-1)).toMatch(/^stopped: \d+ events handled for 200 stores$/);
});
