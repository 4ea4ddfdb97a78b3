import axe from 'axe-core';
import { createMockHub } from 'opendelivery-client/testing';
import type { BrowserContext } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isChromiumMissing, withChromium } from '../../chromium.js';
import { DESK, openConsole, PHONE } from './page-support.js';

let browser: BrowserContext;
withChromium((started) => {
  browser = started;
});

/** A hub whose console shows a rehearsal, which the test changes. */
async function rehearsed() {
  const answers: (readonly [number, boolean])[] = [];
  const rehearsal = {
    title: '99Food: acceptance list',
    items: [
      { id: '1', title: 'The token', state: 'passed', evidence: ['11:00:00 POST /oauth/token → 200'] },
      { id: '2.4', title: 'It shows the change', state: 'playing', evidence: [] },
      { id: '3', title: 'dispatch', state: 'waiting', evidence: [] },
    ] as {
      id: string;
      title: string;
      state: 'passed' | 'failed' | 'playing' | 'waiting';
      evidence: string[];
    }[],
    tasks: [
      { id: 7, text: 'In the application, now: "dispatched" of order 1003', isQuestion: false },
      { id: 8, text: 'Does the application show for order 1001: the change?', isQuestion: true },
    ],
    answer: (id: number, yes: boolean) => void answers.push([id, yes]),
  };
  const { url, close } = await createMockHub().listen({ control: true, rehearsal });
  onTestFinished(() => close().catch(() => {}));
  return { url, rehearsal, answers };
}

describe.skipIf(isChromiumMissing).each([
  ['desk', DESK, 'light'],
  ['phone', PHONE, 'dark'],
] as const)('the rehearsal on a %s', (_device, size, colorScheme) => {
  it('shows what to do and what was seen, and takes an answer', async () => {
    const { url, rehearsal, answers } = await rehearsed();
    const { page, complaints, foreign } = await openConsole(browser, url, size, '#/rehearsal');
    await page.emulateMedia({ colorScheme });
    await page.getByText('Does the application show').waitFor();
    expect(await page.locator('progress').evaluate((bar: { position: number }) => bar.position)).toBeCloseTo(
      1 / 3,
    );
    expect(await page.getByText('In the application, now').isVisible()).toBe(true);

    const evidence = page.getByText('POST /oauth/token');
    expect(await evidence.isVisible()).toBe(false);
    await page.getByText('The token').click();
    expect(await evidence.isVisible()).toBe(true);

    await page.getByRole('button', { name: 'No', exact: true }).click();
    await expect.poll(() => answers).toEqual([[8, false]]);
    rehearsal.tasks = [];
    rehearsal.items[1] = {
      id: '2.4',
      title: 'It shows the change',
      state: 'failed',
      evidence: ['11:00:30 not shown: the change'],
    };
    await page.getByText('1 passed, 1 failed').waitFor();
    expect(await page.getByRole('button', { name: 'No', exact: true }).count()).toBe(0);
    // What was open stays open.
    expect(await evidence.isVisible()).toBe(true);

    await page.evaluate(axe.source);
    const { violations } = await page.evaluate(() =>
      (globalThis as unknown as { axe: { run(): Promise<{ violations: { id: string }[] }> } }).axe.run(),
    );
    expect(violations.map(({ id }) => id)).toEqual([]);
    const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
    expect(overflow).toBe(0);
    expect([...complaints, ...foreign]).toEqual([]);
  });

  it('is not in the console of a hub without a rehearsal', async () => {
    const { url, close } = await createMockHub().listen();
    onTestFinished(() => close().catch(() => {}));
    const { page } = await openConsole(browser, url, size);
    expect(await page.locator('nav a[href="#/orders"]').isVisible()).toBe(true);
    expect(await page.locator('nav a[href="#/rehearsal"]').isVisible()).toBe(false);
  });
});
