import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { BrowserContext, Page } from 'playwright-core';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { isChromiumMissing, startChromium } from '../chromium.js';

const folder = new URL('../../examples/storefront/', import.meta.url);

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
};

/** A Tuesday at lunch, and the afternoon after it. */
const LUNCH = '2026-05-05T12:00:00-03:00';

// One browser and one server for all tests.
let browser: BrowserContext;
let url: string;
beforeAll(async () => {
  if (isChromiumMissing) return;
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('storefront.ts', folder))],
    bundle: true,
    minify: true,
    format: 'esm',
    write: false,
  });
  const server = createServer(async ({ url: path = '/' }, response) => {
    const name = path === '/' ? 'index.html' : path.slice(1);
    const type = TYPES[extname(name)];
    const body =
      name === 'storefront.js'
        ? outputFiles[0]?.contents
        : await readFile(new URL(`public/${name}`, folder)).catch(() => undefined);
    response.writeHead(body && type ? 200 : 404, { 'content-type': type ?? 'text/plain' }).end(body);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const started = await startChromium();
  browser = started.browser;
  return async () => {
    await started.close();
    server.close();
  };
});

/** Opens the storefront at an instant. Nothing may be written to the console. */
async function open(at: string, change: (document: MenuDocument) => void = () => {}): Promise<Page> {
  const page = await browser.newPage();
  const errors: string[] = [];
  page.on('console', (message) => errors.push(message.text()));
  page.on('pageerror', (error) => errors.push(error.message));
  onTestFinished(async () => {
    await page.close();
    expect(errors).toEqual([]);
  });
  await page.clock.setFixedTime(at);
  await page.route('**/menu.json', async (route) => {
    const response = await route.fetch();
    const document = (await response.json()) as MenuDocument;
    change(document);
    await route.fulfill({ response, json: document });
  });
  await page.goto(url);
  await page.getByRole('heading', { level: 1 }).waitFor();
  return page;
}

/** The parts of the page's menu that a test changes. */
interface MenuDocument {
  status: string;
  items: { name: string; description?: string }[];
}

const textOf = (page: Page, id: string) => page.locator(`#${id}`).innerText();

it.skipIf(isChromiumMissing)(
  'prices the worked example of the standard by keyboard, and changes its quantity',
  async () => {
    const page = await open(LUNCH);
    expect(await textOf(page, 'status')).toBe('Open now');
    const choose = page.getByRole('button', { name: 'Choose Pizza of two halves' });
    await choose.focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Pizza of two halves' });
    // Without a flavor the pizza cannot be added, and the missing choice gets the focus.
    await dialog.getByRole('button', { name: 'Add' }).press('Enter');
    await dialog.getByText('Flavors: choose at least 1.').waitFor();
    await page.keyboard.press('Space');
    expect(await dialog.getByLabel('Margherita').isChecked()).toBe(true);
    expect(await dialog.getByText('Flavors: choose at least 1.').isVisible()).toBe(false);
    await dialog.getByLabel('Calabresa').check();
    expect(await dialog.getByLabel('Four cheeses').isDisabled()).toBe(true);
    expect(await dialog.getByLabel('Shrimp').isDisabled()).toBe(true);
    await dialog.getByLabel('Requeijão').check();
    await dialog.getByLabel('Truffle cream').check();
    await dialog.getByRole('button', { name: 'One more: Olives' }).click();
    await dialog.getByRole('button', { name: 'Add R$70.50' }).click();
    expect(await dialog.isVisible()).toBe(false);
    await choose.and(page.locator(':focus')).waitFor();

    const cart = page.getByRole('complementary', { name: 'Your order' });
    expect(await textOf(page, 'total')).toBe('R$70.50');
    await cart.getByText('Price details').click();
    expect(await cart.locator('details li').allInnerTexts()).toEqual([
      'Pizza of two halves\nR$25.00',
      'Olives\nR$3.00',
      'Dearest: Truffle cream\nR$35.00',
      'Average of the options\nR$7.50',
    ]);
    const more = cart.getByRole('button', { name: 'One more: Pizza of two halves' });
    await more.press('Enter');
    expect(await textOf(page, 'total')).toBe('R$141.00');
    await more.and(page.locator(':focus')).waitFor();
    const less = cart.getByRole('button', { name: 'One less: Pizza of two halves' });
    const checkout = page.locator('#checkout');
    expect(await checkout.getAttribute('aria-disabled')).toBe('false');
    // The store has closed since the offer was added.
    await page.clock.setFixedTime('2026-05-06T03:00:00-03:00');
    await less.press('Enter');
    expect(await checkout.getAttribute('aria-disabled')).toBe('true');
    await less.press('Enter');
    await cart.getByText('Nothing yet.').waitFor();
  },
  60_000,
);

it.skipIf(isChromiumMissing)(
  'shows texts of the menu as text, and fits a screen of 320 pixels',
  async () => {
    const name = '<img src=x onerror="alert(1)"><b>Margherita</b>'.padEnd(300, 'x');
    const page = await open(LUNCH, ({ items }) => {
      for (const item of items) Object.assign(item, { name, description: name });
    });
    page.on('dialog', () => {
      throw new Error('the page ran a script of the menu');
    });
    await page.setViewportSize({ width: 320, height: 640 });
    expect(await page.locator('b, [onerror]').count()).toBe(0);
    const width = () => page.evaluate('document.documentElement.scrollWidth');
    expect(await width()).toBe(320);
    await page.getByRole('button', { name: 'Choose' }).first().click();
    expect(await page.getByRole('dialog').evaluate((dialog) => dialog.scrollWidth)).toBeLessThanOrEqual(320);
    expect(await width()).toBe(320);
  },
  60_000,
);
