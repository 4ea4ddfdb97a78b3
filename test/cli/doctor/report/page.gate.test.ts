import axe from 'axe-core';
import type { BrowserContext, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { isChromiumMissing, withChromium } from '../../../chromium.js';
import { exits } from '../../support.js';
import { type Change, changedHub } from './changed-hub.js';

/** A hub with a difference of each kind, and a long one. */
const DIFFERENT: Change = {
  options: { badKeyStatus: 403, expiresIn: 'text', limitHeaders: false, tokenLifetimeMs: 3_600_000 },
  prepare: (mock) => {
    mock.publishMerchant((merchant) => {
      merchant.TTL = 0;
      for (const [index, key] of Object.keys(merchant.basicInfo).entries()) {
        if (index > 0) delete merchant.basicInfo[key];
      }
    });
    mock.faults.next('polling', 'duplicate');
  },
};

let browser: BrowserContext;
let html = '';

withChromium((started) => {
  browser = started;
});

async function report(): Promise<string> {
  const { clock } = await changedHub(DIFFERENT);
  html ||= (await exits(0, 'doctor --report html', { clock })).out;
  return html;
}

async function pageOf(width: number, colorScheme: 'light' | 'dark'): Promise<Page> {
  const page = await browser.newPage();
  await page.setViewportSize({ width, height: 900 });
  await page.emulateMedia({ colorScheme });
  await page.setContent(await report());
  return page;
}

it.skipIf(isChromiumMissing).each([
  [320, 'light'],
  [320, 'dark'],
  [1280, 'light'],
  [1280, 'dark'],
] as const)(
  'shows every difference at a width of %i, %s, without scrolling sideways',
  async (width, colorScheme) => {
    const page = await pageOf(width, colorScheme);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    const differences = await page.locator('.differences a').count();
    expect(differences).toBeGreaterThan(10);
    expect(await page.locator('tr.differs').count()).toBe(differences);
    for (const row of await page.locator('tr.differs td').all()) expect(await row.isVisible()).toBe(true);
    await page.evaluate(axe.source);
    const { violations } = (await page.evaluate('axe.run()')) as axe.AxeResults;
    expect(violations.map(({ id, nodes }) => [id, nodes[0]?.html])).toEqual([]);
    await page.close();
  },
);

it.skipIf(isChromiumMissing)('leads from each difference to its row', async () => {
  const page = await pageOf(1280, 'light');
  const targets = await page.evaluate<string[]>(
    "[...document.querySelectorAll('.differences a')].map(({ hash }) => document.getElementById(hash.slice(1))?.tagName)",
  );
  expect(new Set(targets)).toEqual(new Set(['TR']));
  await page.close();
});

it.skipIf(isChromiumMissing)('loads nothing and runs nothing', async () => {
  const page = await browser.newPage();
  const requested: string[] = [];
  page.on('request', (request) => requested.push(request.url()));
  await page.setContent(await report());
  expect(requested).toEqual([]);
  expect(await page.locator('script, img, link, iframe, form').count()).toBe(0);
  await page.close();
});

it.skipIf(isChromiumMissing)('prints on paper: dark text, and no row is cut', async () => {
  const page = await pageOf(1280, 'dark');
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  const { color, breakInside } = await page
    .locator('tr.differs')
    .first()
    .evaluate(
      (row) => row.ownerDocument.defaultView?.getComputedStyle(row) ?? { color: '', breakInside: '' },
    );
  expect([color, breakInside]).toEqual(['rgb(0, 0, 0)', 'avoid']);
  const pdf = await page.pdf({ format: 'A4' });
  expect(pdf.length).toBeGreaterThan(10_000);
  await page.close();
});
