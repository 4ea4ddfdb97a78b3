import { HubClient } from 'opendelivery-client';
import { createMockHub, scaledClock } from 'opendelivery-client/testing';
import type { BrowserContext } from 'playwright-core';
import { expect, it, onTestFinished } from 'vitest';
import { startApp } from '../../../examples/ordering-app/main.js';
import { isChromiumMissing, withChromium } from '../../chromium.js';
import { pathOf } from '../../docs/blocks.js';
import { openConsole, toSection } from './page-support.js';

/** A minute takes three seconds, and the console jumps over the rest of the evening. */
const SPEED = 20;

let browser: BrowserContext;
withChromium((started) => {
  browser = started;
});

const KINDS = [
  { type: 'DELIVERY', customer: { name: 'Ana Souza' }, include: ['options'] },
  { type: 'TAKEOUT', customer: { name: 'Bruno Lima' } },
  { type: 'DELIVERY', orderTiming: 'SCHEDULED', customer: { name: 'Clara Dias' }, include: ['fees'] },
  { type: 'INDOOR', customer: { name: 'Davi' } },
  { type: 'DELIVERY', customer: { name: 'Elisa Rocha' }, include: ['change'] },
  { type: 'DELIVERY', customer: { name: 'Fábio Melo' } },
  { type: 'TAKEOUT', customer: { name: 'Gilda Reis' } },
  { type: 'DELIVERY', customer: { name: 'Heitor Alves' } },
] as const;

const FLAGS = { sendPreparing: true, sendPickedUp: true, sendDelivered: true };

/** What the store sends for each order, in its words. */
const WORK: Readonly<Record<string, readonly string[]>> = {
  '1001': ['Confirmar', 'Iniciar preparo', 'Pedido pronto', 'Saiu para entrega'],
  '1002': ['Confirmar', 'Iniciar preparo', 'Pedido pronto'],
  '1003': ['Confirmar'],
  '1004': ['Confirmar', 'Iniciar preparo'],
  '1005': ['Confirmar', 'Iniciar preparo', 'Pedido pronto', 'Saiu para entrega', 'Entregue ao cliente'],
  '1006': ['Confirmar'],
};

it.skipIf(isChromiumMissing)(
  'accompanies the ordering app through an evening',
  async () => {
    const clock = scaledClock(SPEED);
    const mock = createMockHub({ clock });
    const { url, close } = await mock.listen();
    onTestFinished(() => close().catch(() => {}));
    const hub = new HubClient({ baseUrl: url, ...mock.credentials, clock, timeoutMs: SPEED * 10_000 });
    const app = await startApp(hub, { now: () => clock.now() });
    onTestFinished(() => void app.stop().catch(() => {}));
    await app.started;
    const shop = await browser.newPage();
    onTestFinished(async () => void (await shop.close()));
    await shop.setViewportSize({ width: 1280, height: 800 });
    await shop.goto(app.url);
    const { page, complaints } = await openConsole(browser, url);

    const create = (kind: (typeof KINDS)[number]) =>
      mock.createOrder({ ...FLAGS, ...kind, include: 'include' in kind ? [...kind.include] : [] });
    for (const kind of KINDS.slice(0, 6)) create(kind);
    const inShop = (displayId: string) => shop.getByRole('article', { name: `Pedido ${displayId}` });
    const inConsole = (displayId: string) => page.getByRole('article').filter({ hasText: `#${displayId}` });
    await inShop('1006').waitFor();
    for (const [displayId, commands] of Object.entries(WORK)) {
      for (const name of commands) await inShop(displayId).getByRole('button', { name, exact: true }).click();
    }
    await inConsole('1005').getByText('delivered', { exact: true }).waitFor();
    await inConsole('1006').getByText('confirm', { exact: true }).waitFor();

    // The customer asks to cancel, and the store accepts.
    await page.getByRole('link', { name: '#1006' }).click();
    await page.getByRole('button', { name: 'Ask to cancel' }).click();
    await inShop('1006').getByRole('button', { name: 'Aceitar cancelamento' }).click();
    await inConsole('1006').getByText('acceptCancellation').waitFor();
    await page.keyboard.press('Escape');
    await inConsole('1005').getByRole('button', { name: 'Move on to Concluded' }).click();
    await inConsole('1005').getByText('Concluded').waitFor();

    // The first screen of the README. UPDATE_DOCS=1 writes it.
    for (const kind of KINDS.slice(6)) create(kind);
    mock.faults.next('merchant', 503); // which this application does not request
    await inShop('1008').waitFor();
    await page.getByRole('link', { name: /fault in force/ }).waitFor();
    await page.locator('.announcements p').waitFor({ state: 'detached' });
    await page.setViewportSize({ width: 1280, height: 560 });
    await page.mouse.move(700, 500);
    const path = process.env.UPDATE_DOCS ? pathOf('docs/console.png') : undefined;
    expect((await page.screenshot(path === undefined ? {} : { path })).length).toBeGreaterThan(20_000);
    if (process.env.CONSOLE_SCREENSHOTS) {
      await page.screenshot({ path: `${process.env.CONSOLE_SCREENSHOTS}/evening-console.png` });
      await shop.screenshot({ path: `${process.env.CONSOLE_SCREENSHOTS}/evening-shop.png`, fullPage: true });
    }
    mock.faults.clear();

    // An acknowledgment fails; the client repeats it.
    await toSection(page, 'faults');
    await page.getByRole('button', { name: 'acknowledgment: 503' }).click();
    mock.createOrder({ ...FLAGS, customer: { name: 'Ivo Prado' } });
    await inShop('1009').waitFor();
    await page.getByRole('link', { name: /fault in force/ }).waitFor({ state: 'hidden' });

    // Nobody answers the newest orders for ten minutes: the console shows the rule and leads to the order.
    await toSection(page, 'time');
    await page.getByRole('button', { name: '+ 10 min' }).click();
    await toSection(page, 'violations');
    await page.getByText('unanswered-order').first().waitFor();
    await page.getByRole('link', { name: 'Show the order' }).first().click();
    await page.getByRole('dialog').getByText('CREATED', { exact: true }).last().waitFor();
    await page.keyboard.press('Escape');
    for (const displayId of ['1007', '1008', '1009']) {
      await inShop(displayId).getByRole('button', { name: 'Confirmar' }).click();
      await inConsole(displayId).getByText('confirm', { exact: true }).waitFor();
    }
    await expect.poll(() => mock.pending().length, { timeout: 20_000 }).toBe(0);
    // On a slow machine, more orders wait for ten minutes. No other rule was broken.
    expect([...new Set(mock.violations().map(({ rule }) => rule))]).toEqual(['unanswered-order']);
    expect(complaints).toEqual([]);
    await app.stop();
  },
  180_000,
);
