import { mkdirSync } from 'node:fs';

import axe from 'axe-core';
import type { BrowserContext, Page } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isChromiumMissing, withChromium } from '../../chromium.js';

import {
  DESK,
  hasFocus,
  openConsole,
  openHub,
  PHONE,
  SECTIONS,
  toAddress,
  toSection,
  useAsApplication,
} from './page-support.js';
import { storesOf } from './support.js';

let browser: BrowserContext;
withChromium(async (started) => {
  browser = started;
  await browser.addInitScript(`
    window.clicks = 0;
    addEventListener('click', (event) => { if (event.isTrusted) window.clicks += 1; }, true);
  `);
});

const SCREENSHOTS = process.env.CONSOLE_SCREENSHOTS;

/** To be looked at: with CONSOLE_SCREENSHOTS, a folder gets it. */
async function screenshot(page: Page, name: string): Promise<void> {
  if (!SCREENSHOTS) return;
  mkdirSync(SCREENSHOTS, { recursive: true });
  await page.screenshot({ path: `${SCREENSHOTS}/${name}.png` });
}

const clicksOf = (page: Page): Promise<number> => page.evaluate('window.clicks');

const text = (page: Page, value: string) => page.getByText(value, { exact: true });

describe.skipIf(isChromiumMissing).each([
  ['desk', DESK],
  ['phone', PHONE],
] as const)('five tasks at a %s, each in at most three clicks', (name, size) => {
  const open = async () => {
    const hub = await openHub();
    const order = hub.mock.createOrder();
    const opened = await openConsole(browser, hub.url, size);
    await opened.page.getByRole('link', { name: '#1001' }).waitFor();
    return { ...hub, ...opened, order };
  };
  const finish = async (page: Page, complaints: readonly string[], task: string) => {
    expect(await clicksOf(page)).toBeLessThanOrEqual(3);
    expect(complaints).toEqual([]);
    await screenshot(page, `${name}-${task}`);
  };

  it('creates an order', async () => {
    const { page, mock, complaints } = await open();
    await page.getByRole('button', { name: 'New order' }).click();
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('link', { name: '#1002' }).waitFor();
    await text(page, 'Order #1002 was created').waitFor();
    expect(mock.emitted().map(({ eventType }) => eventType)).toEqual(['CREATED', 'CREATED']);
    await finish(page, complaints, 'create-an-order');
  });

  it('makes the next acknowledgment fail once', async () => {
    const { page, url, complaints, mock, order } = await open();
    await toSection(page, 'faults');
    await page.getByRole('button', { name: 'acknowledgment: 503' }).click();
    await page.getByRole('link', { name: '1 fault in force' }).waitFor();
    await finish(page, complaints, 'fail-an-acknowledgment');
    const { send } = await useAsApplication(url, '1001', 'mock-client-secret');
    const { eventId: id, orderId, eventType } = order.event;
    const acknowledge = () => send('POST', '/v1/events/acknowledgment', [{ id, orderId, eventType }]);
    expect((await acknowledge()).status).toBe(503);
    await page.getByRole('link', { name: '1 fault in force' }).waitFor({ state: 'hidden' });
    expect((await acknowledge()).status).toBe(202);
    expect(mock.pending()).toEqual([]);
  });

  it('cancels an order', async () => {
    const { page, mock, complaints } = await open();
    await page.getByRole('link', { name: '#1001' }).click();
    await page.getByRole('button', { name: 'Cancel now' }).click();
    await page.getByRole('button', { name: 'Cancel now' }).waitFor({ state: 'detached' });
    expect(mock.emitted().map(({ eventType }) => eventType)).toEqual(['CREATED', 'CANCELLED']);
    await finish(page, complaints, 'cancel-an-order');
  });

  it('jumps two hours', async () => {
    const { page, clock, complaints } = await open();
    const before = clock.now();
    await toSection(page, 'time');
    await page.getByRole('button', { name: '+ 2 h' }).click();
    await text(page, 'The hub is 2 h later').waitFor();
    expect(clock.now() - before).toBeGreaterThanOrEqual(7_200_000);
    await finish(page, complaints, 'jump-two-hours');
  });

  it('finds the request behind a violation', async () => {
    const { page, url, complaints } = await open();
    const { send } = await useAsApplication(url, '1001', 'mock-client-secret');
    for (let count = 0; count < 3; count += 1) await send('GET', '/v1/events:polling');
    await toSection(page, 'violations');
    await page.getByRole('link', { name: 'Request 4' }).click();
    const details = page.getByRole('complementary');
    await details.getByText('429', { exact: true }).waitFor();
    expect(await details.textContent()).toContain('Bearer [token 1]');
    expect(await details.textContent()).toContain('more than 2 requests in 1 min');
    await finish(page, complaints, 'find-the-request');
  });
});

/** A hub with something in every section. */
async function busyHub() {
  const hub = await openHub({ stores: storesOf('1001', '2002') });
  const { mock, url } = hub;
  const orders = ['DELIVERY', 'TAKEOUT', 'INDOOR', 'DELIVERY', 'DELIVERY'].map(
    (type) => mock.createOrder({ type }).orderId,
  );
  mock.createOrder({ clientId: '2002' });
  const { send } = await useAsApplication(url, '1001', 'client-secret-1001');
  for (const orderId of orders.slice(1)) await send('POST', `/v1/orders/${orderId}/confirm`);
  await send('POST', `/v1/orders/${orders[2]}/readyForPickup`);
  await send('GET', '/v1/events:polling');
  await send('GET', '/nowhere');
  mock.emit('DISPATCHED', { orderId: orders[3] as string });
  mock.emit('CONCLUDED', { orderId: orders[4] as string });
  mock.emit('ORDER_CANCELLATION_REQUEST', { orderId: orders[1] as string });
  mock.faults.next('merchant', 'reset');
  await fetch(`${url}/_mock/orders`, { method: 'POST' });
  return { ...hub, orders };
}

describe.skipIf(isChromiumMissing)('the console', () => {
  it('has no finding of axe in any section, wide and light, narrow and dark', async () => {
    const { url, orders } = await busyHub();
    const { page, complaints } = await openConsole(browser, url);
    const findings: string[] = [];
    const check = async (place: string, shown = page) => {
      await shown.evaluate(axe.source);
      const { violations } = (await shown.evaluate('axe.run()')) as axe.AxeResults;
      for (const { id, nodes } of violations)
        findings.push(`${place}: ${id} ${nodes.map(({ html }) => html).join(' ')}`);
    };
    await openConsole(browser, (await openHub()).url).then(async ({ page: fresh }) => {
      await fresh.getByRole('region', { name: 'No orders yet' }).waitFor();
      await check('the first step', fresh);
    });
    for (const [size, colorScheme] of [
      [DESK, 'light'],
      [PHONE, 'dark'],
    ] as const) {
      await page.setViewportSize(size);
      await page.emulateMedia({ colorScheme });
      for (const name of SECTIONS) {
        await toAddress(page, url, name);
        await check(`${size.width} ${colorScheme} ${name}`);
        await screenshot(page, `${size.width}-${colorScheme}-${name}`);
        // Nothing is wider than the page.
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(size.width);
      }
      for (const hash of [`orders/1001/${orders[1]}`, 'requests/3']) {
        await toAddress(page, url, hash);
        await check(`${size.width} ${colorScheme} ${hash}`);
        await screenshot(page, `${size.width}-${colorScheme}-${hash.slice(0, 8).replace('/', '-')}`);
      }
    }
    expect(findings).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('is usable by keyboard alone', async () => {
    const { url, mock } = await openHub();
    const { page } = await openConsole(browser, url);
    await page.keyboard.press('Tab');
    expect(await hasFocus(page.getByRole('link', { name: 'Skip to the content' }))).toBe(true);
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    expect(await hasFocus(page.getByRole('button', { name: 'New order' }))).toBe(true);
    await page.keyboard.press('Enter');
    expect(await hasFocus(page.getByRole('button', { name: 'Create', exact: true }))).toBe(true);
    await page.keyboard.press('Enter');
    const order = page.getByRole('link', { name: '#1001' });
    await order.waitFor();
    expect(await hasFocus(page.getByRole('button', { name: 'New order' }))).toBe(true);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    const next = page.getByRole('button', { name: 'Move on to Confirmed' });
    expect(await hasFocus(next)).toBe(true);
    await page.keyboard.press('Enter');
    // The card is drawn again, in another column.
    await page.getByRole('button', { name: 'Move on to Preparing' }).waitFor();
    await order.focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Cancel now' }).waitFor();
    for (let presses = 0; presses < 3; presses += 1) await page.keyboard.press('Tab');
    expect(await hasFocus(dialog.getByRole('button', { name: 'Ask to cancel' }))).toBe(true);
    await page.keyboard.press('Enter');
    await dialog.getByRole('listitem').filter({ hasText: 'ORDER_CANCELLATION_REQUEST' }).waitFor();
    await page.keyboard.press('Escape');
    // By its role, a dialog is gone when it is hidden, a moment before the page hears of it.
    await expect.poll(() => hasFocus(order)).toBe(true);
    const types = ['CREATED', 'CONFIRMED', 'ORDER_CANCELLATION_REQUEST'];
    expect(mock.emitted().map(({ eventType }) => eventType)).toEqual(types);
  });

  it('shows what a hub sends as text, never as HTML, and loads nothing from elsewhere', async () => {
    const hostile = `"><img src=x onerror="window.isHacked = true"><script>window.isHacked = true</script>`;
    const { url, mock } = await openHub({
      stores: [{ clientId: hostile, clientSecret: 'client-secret', apiKey: 'the-api-key' }],
    });
    const { orderId } = mock.createOrder({
      orderId: hostile,
      displayId: hostile,
      type: hostile,
      orderTiming: hostile,
      customer: { name: hostile },
      total: { orderAmount: { value: 1, currency: '<b>' } },
    });
    mock.emit(hostile, { orderId, metadata: { reason: hostile } });
    mock.publishMerchant((merchant) => {
      merchant.basicInfo.name = hostile;
      merchant.items[0].name = hostile;
      merchant.items[0].description = hostile;
      merchant.categories[0].name = hostile;
      merchant.itemOffers[0].status = hostile;
    });
    await fetch(`${url}/${encodeURIComponent(hostile)}`, {
      method: 'POST',
      body: hostile,
      headers: { 'x-note': hostile },
    });
    await fetch(`${url}/_mock/events`, {
      method: 'POST',
      body: JSON.stringify({ eventType: hostile, orderId }),
    });
    const { page, complaints, foreign } = await openConsole(browser, url);
    for (const hash of [
      ...SECTIONS,
      'requests/1',
      `orders/${encodeURIComponent(hostile)}/${encodeURIComponent(hostile)}`,
    ]) {
      await toAddress(page, url, hash);
      expect(await page.locator('img, body script, iframe, b:has(b)').count(), hash).toBe(0);
    }
    expect(await page.getByRole('dialog').textContent()).toContain('<img src=x');
    expect(await page.evaluate('window.isHacked')).toBeUndefined();
    expect(complaints).toEqual([]);
    expect(foreign).toEqual([]);
  });

  it('shows what the application does as it happens, and says when the hub does not respond', async () => {
    const { url, mock, close } = await openHub();
    const { page } = await openConsole(browser, url);
    const { orderId } = mock.createOrder();
    const card = page.getByRole('article').filter({ hasText: '#1001' });
    await card.getByText('no answer for').waitFor();
    const { send } = await useAsApplication(url, '1001', 'mock-client-secret');
    await send('POST', `/v1/orders/${orderId}/confirm`);
    await card.getByText('confirm', { exact: true }).waitFor();
    await card.getByRole('link', { name: '202' }).waitFor();
    expect(await card.getByText('no answer for').count()).toBe(0);
    await close();
    await text(page, 'The hub does not respond').waitFor();
    const { close: closeAgain } = await mock.listen({ port: Number(new URL(url).port), control: true });
    await text(page, 'Live').waitFor({ timeout: 20_000 });
    mock.createOrder();
    await page.getByRole('link', { name: '#1002' }).waitFor();
    await closeAgain();
  });

  it('edits the menu, and shows what a reader reports', async () => {
    const { url, mock } = await openHub();
    const { page, complaints } = await openConsole(browser, url);
    await toSection(page, 'menu');
    await page.getByRole('switch', { name: 'Switch off Marinara' }).first().click();
    await page.getByRole('switch', { name: 'Switch on Marinara' }).first().waitFor();
    const price = page.getByRole('spinbutton', { name: 'Price of Guaraná' }).first();
    await price.fill('9.25');
    await price.press('Enter');
    await text(page, 'The menu was published').waitFor();
    await expect.poll(() => JSON.stringify(mock.merchant())).toContain('9.25');
    expect(JSON.stringify(mock.merchant())).toContain('UNAVAILABLE');
    // An empty price is not a price of 0. The page may still show the menu that it has read before.
    await page.reload();
    await expect.poll(() => price.inputValue()).toBe('9.25');
    await price.fill('');
    await price.press('Enter');
    expect(await price.inputValue()).toBe('9.25');
    await text(page, 'Edit as JSON').click();
    const editor = page.getByRole('textbox', { name: 'Document' });
    await expect.poll(() => editor.inputValue()).toContain('Forno da Vila');
    await editor.fill('{ "id": ');
    await page.getByRole('button', { name: 'Check' }).click();
    await page.getByText('This is not valid JSON.').waitFor();
    await editor.fill(JSON.stringify({ ...mock.merchant(), basicInfo: 7 }));
    await page.getByRole('button', { name: 'Check' }).click();
    await page.getByText(/A reader reports \d+ issue/).waitFor();
    await editor.fill(JSON.stringify({ ...mock.merchant(), status: 'UNAVAILABLE' }));
    await page.getByRole('button', { name: 'Publish' }).click();
    await expect.poll(() => mock.merchant().status).toBe('UNAVAILABLE');
    expect(complaints).toEqual([]);
  });

  it('shows events, commands, acknowledgments and retries of an order on one axis', async () => {
    const { url, mock } = await openHub();
    const halfAMinute = () => fetch(`${url}/_mock/clock`, { method: 'POST', body: '{ "advance": "30s" }' });
    const { orderId, event } = mock.createOrder();
    const { page, complaints } = await openConsole(browser, url);
    await page.getByRole('link', { name: '#1001' }).click();
    const created = page.getByRole('dialog').getByRole('listitem').filter({ hasText: 'CREATED' });
    await text(page, 'not acknowledged').waitFor();
    await screenshot(page, 'timeline-pending');
    const { send } = await useAsApplication(url, '1001', 'mock-client-secret');
    const acknowledge = () =>
      send('POST', '/v1/events/acknowledgment', [{ id: event.eventId, orderId, eventType: 'CREATED' }]);
    await send('GET', '/v1/events:polling');
    await halfAMinute();
    mock.faults.next('acknowledgment', 503);
    await acknowledge();
    // What arrives while the dialog is open appears in it, and the focus stays.
    const failed = created.getByRole('link', { name: /^acknowledgment 503, / });
    await failed.focus();
    await halfAMinute();
    await acknowledge();
    await created.getByRole('link', { name: /^acknowledgment 202, / }).waitFor();
    expect(await hasFocus(failed)).toBe(true);
    expect(await page.getByText('not acknowledged').count()).toBe(0);
    await halfAMinute();
    mock.faults.next('orderStatus', 500);
    await send('POST', `/v1/orders/${orderId}/confirm`);
    await send('POST', `/v1/orders/${orderId}/confirm`);
    const confirm = page.getByRole('dialog').getByRole('listitem').filter({ hasText: 'command' });
    await confirm.getByRole('link', { name: /^command 202, / }).waitFor();
    expect(await confirm.getByRole('link').allInnerTexts()).toEqual(['500', '202']);
    // On the axis: the poll at once, a failed acknowledgment, its retry, and the commands at the end.
    const places = async (selector: string) =>
      Promise.all(
        (await page.locator(`.axis ${selector}`).all()).map(
          async (mark) => (await mark.boundingBox())?.x ?? 0,
        ),
      );
    const [poll = 0] = await places('.poll');
    const acknowledgments = await places('.acknowledgment');
    const commands = await places('.command');
    expect([acknowledgments.length, commands.length]).toEqual([2, 2]);
    const order = [poll, ...acknowledgments, ...commands];
    expect([...order].sort((one, other) => one - other)).toEqual(order);
    expect(await page.locator('.axis .bad').count()).toBe(2);
    await screenshot(page, 'timeline');
    // The end of the axis is visible, also on a phone.
    await page.setViewportSize(PHONE);
    expect(Math.max(...(await places('.command')))).toBeLessThan(PHONE.width);
    await screenshot(page, 'timeline-phone');
    await failed.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('complementary').getByText('503').first().waitFor();
    expect(complaints).toEqual([]);
  });

  it('teaches the first step while there is no order', async () => {
    const { url, mock } = await openHub({ basePath: '/hub' });
    const { page } = await openConsole(browser, url);
    const first = page.getByRole('region', { name: 'No orders yet' });
    for (const line of [
      `HUB_BASE_URL=${url}`,
      'HUB_BASE_PATH=/hub',
      'HUB_CLIENT_ID=1001',
      `curl -X POST ${url}/_mock/orders`,
    ])
      await first.getByText(line).waitFor();
    expect(await first.textContent()).not.toContain('mock-client-secret');
    await screenshot(page, 'first-order');
    await first.getByRole('button', { name: 'Create the first order' }).click();
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('link', { name: '#1001' }).waitFor();
    expect(await first.count()).toBe(0);
    expect(mock.emitted()).toHaveLength(1);
    expect(await page.title()).toBe('Orders · Passaprato');
  });

  it('says that it connects before it says that the hub does not respond', async () => {
    const { url } = await openHub();
    const page = await browser.newPage();
    onTestFinished(async () => void (await page.close()));
    let answer = () => {};
    const asked = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route('**/ui/stream*', async (route) => {
      await asked;
      await route.abort();
    });
    await page.goto(`${url}/_mock/ui`);
    await text(page, 'Connecting…').waitFor();
    expect(await text(page, 'The hub does not respond').count()).toBe(0);
    answer();
    await text(page, 'The hub does not respond').waitFor();
  });

  it('shows more rows in compact density, and remembers it', async () => {
    const { url, mock } = await openHub();
    for (let count = 0; count < 20; count += 1) mock.createOrder();
    const { page } = await openConsole(browser, url, DESK, '#/events');
    const compact = page.getByRole('button', { name: 'Compact' });
    const row = page.locator('tbody tr').first();
    const height = async () => (await row.boundingBox())?.height ?? 0;
    await row.waitFor();
    const before = await height();
    await compact.click();
    expect(await height()).toBeLessThan(before - 4);
    await page.reload();
    await row.waitFor();
    expect(await height()).toBeLessThan(before - 4);
    await compact.click();
    expect(await height()).toBe(before);
  });

  it('does not call an offer available that customers cannot order now', async () => {
    const { url, mock } = await openHub();
    mock.publishMerchant((merchant) => {
      merchant.services[0].status = 'UNAVAILABLE';
    });
    const { page } = await openConsole(browser, url, DESK, '#/menu');
    await text(page, 'not now: the service is not available').first().waitFor();
    expect(
      await page
        .locator('.offer')
        .filter({ hasText: 'not now' })
        .filter({ has: text(page, 'Available') })
        .count(),
    ).toBe(0);
    await page
      .getByRole('switch', { name: 'Switch off Marinara' })
      .first()
      .getByText('Switched on')
      .waitFor();
  });

  it('speaks Portuguese, and remembers it', async () => {
    const { url, mock } = await openHub();
    mock.createOrder();
    const { page } = await openConsole(browser, url);
    await page.getByRole('combobox', { name: 'Language' }).selectOption('pt-BR');
    await page.getByRole('button', { name: 'Novo pedido' }).waitFor();
    expect(await page.evaluate('document.documentElement.lang')).toBe('pt-BR');
    await page.reload();
    await page.getByText('sem resposta da loja há').waitFor();
    await page.getByRole('combobox', { name: 'Idioma' }).selectOption('en');
    await page.getByRole('button', { name: 'New order' }).waitFor();
  });
});
