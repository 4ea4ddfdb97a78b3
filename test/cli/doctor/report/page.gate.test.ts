import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { isChromiumMissing, startChromium } from '../../../chromium.js';
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

let close = async () => {};
let browser: BrowserContext;
let html = '';

beforeAll(async () => {
  if (isChromiumMissing) return;
  ({ browser, close } = await startChromium());
});

afterAll(() => close());

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

/** `OPENDELIVERY_SHOTS=folder` keeps the pictures: the top of the page, and a table. */
async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env.OPENDELIVERY_SHOTS;
  if (!folder) return;
  await page.screenshot({ path: `${folder}/${name}-top.png` });
  await page.locator('#merchant').evaluate((heading) => heading.scrollIntoView());
  await page.screenshot({ path: `${folder}/${name}-table.png` });
}

/** The lowest contrast of a text with the page, as WCAG defines it. It runs in the page. */
const LOWEST_CONTRAST = `(() => {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const luminance = (colour) => {
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    const [red, green, blue] = [...canvas.getImageData(0, 0, 1, 1).data].map((each) =>
      each / 255 <= 0.03928 ? each / 255 / 12.92 : ((each / 255 + 0.055) / 1.055) ** 2.4,
    );
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const behind = (element) => {
    const { backgroundColor } = getComputedStyle(element);
    return backgroundColor === 'rgba(0, 0, 0, 0)' ? behind(element.parentElement) : backgroundColor;
  };
  let lowest = { ratio: 21, text: '' };
  for (const element of document.querySelectorAll('body *')) {
    const text = [...element.childNodes].find((each) => each.nodeType === 3 && each.textContent.trim());
    if (!text) continue;
    const [one, other] = [getComputedStyle(element).color, behind(element)].map(luminance);
    const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    if (ratio < lowest.ratio) lowest = { ratio, text: text.textContent };
  }
  return lowest;
})()`;

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
    const { ratio, text } = await page.evaluate<{ ratio: number; text: string }>(LOWEST_CONTRAST);
    expect(ratio, text).toBeGreaterThanOrEqual(4.5);
    await picture(page, `report-${width}-${colorScheme}`);
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
  await picture(page, 'report-print');
  await page.close();
});
