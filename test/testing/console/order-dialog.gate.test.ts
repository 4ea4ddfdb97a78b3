import type { BrowserContext } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { isChromiumMissing, withChromium } from '../../chromium.js';
import { hasFocus, openConsole, openHub, PHONE, toSection } from './page-support.js';

let browser: BrowserContext;
withChromium((started) => {
  browser = started;
});

describe.skipIf(isChromiumMissing)('the console', () => {
  it('sends the event that a person has chosen, although the application moves the order meanwhile', async () => {
    const { url, mock } = await openHub();
    const { orderId } = mock.createOrder();
    const { page } = await openConsole(browser, url, undefined, `#/orders/1001/${orderId}`);
    const dialog = page.getByRole('dialog');
    const any = dialog.getByRole('combobox', { name: 'Any event' });
    await any.selectOption('CANCELLATION_REQUESTED');
    await any.focus();
    mock.emit('CONFIRMED', { orderId });
    await dialog.getByRole('button', { name: 'Preparing →' }).waitFor();
    expect(await hasFocus(any)).toBe(true);
    await dialog.getByRole('button', { name: 'Send' }).click();
    await expect.poll(() => mock.emitted().at(-1)?.eventType).toBe('CANCELLATION_REQUESTED');
  });

  it('shows what can be done with an order that is not on the board, and follows it', async () => {
    const { url, mock } = await openHub();
    const old = mock.createOrder({ displayId: 'x'.repeat(60) });
    for (let count = 0; count < 100; count += 1) mock.createOrder();
    const finished = Array.from({ length: 25 }, () => mock.createOrder().orderId);
    for (const orderId of finished) mock.emit('CONCLUDED', { orderId });
    const { page } = await openConsole(browser, url, PHONE, `#/orders/1001/${old.orderId}`);
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Confirmed →' }).waitFor();
    // The longest word is no wider than the window.
    expect(await dialog.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
    mock.emit('CONCLUDED', { orderId: old.orderId });
    await dialog.getByRole('button', { name: 'Confirmed →' }).waitFor({ state: 'hidden' });
    await dialog.getByRole('listitem').filter({ hasText: 'CONCLUDED' }).waitFor();
    mock.reset();
    await dialog.getByText('The hub does not have this order any more.').waitFor();
    expect(await dialog.getByRole('button', { name: 'Send' }).count()).toBe(0);
  });

  it('shows what happens while the hub answers a question about the order', async () => {
    const { url, mock } = await openHub();
    const { orderId } = mock.createOrder();
    const { page } = await openConsole(browser, url);
    await page.route(
      '**/ui/order?*',
      async (route) => {
        const response = await route.fetch();
        mock.emit('CONFIRMED', { orderId });
        // The board behind the dialog shows it.
        const next = page.getByRole('button', { name: 'Move on to Preparing', includeHidden: true });
        await next.waitFor({ state: 'attached' });
        await route.fulfill({ response });
      },
      { times: 1 },
    );
    await page.getByRole('link', { name: '#1001' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Preparing →' }).waitFor();
    expect(await dialog.getByRole('button', { name: 'Confirmed →' }).count()).toBe(0);
  });

  it('gives a card that moves to another column the focus again', async () => {
    const { url, mock } = await openHub();
    mock.createOrder();
    const { page } = await openConsole(browser, url);
    await page.getByRole('button', { name: 'Move on to Confirmed' }).press('Enter');
    const next = page.getByRole('button', { name: 'Move on to Preparing' });
    await next.waitFor();
    await expect.poll(() => hasFocus(next)).toBe(true);
  });

  it('shows nothing of a hub that was started again', async () => {
    const { url, mock, close } = await openHub();
    mock.createOrder();
    const { page } = await openConsole(browser, url);
    await toSection(page, 'events');
    await page.getByRole('button', { name: 'Deliver again' }).waitFor();
    await close();
    await openHub({ port: Number(new URL(url).port) });
    await page.getByText('Live', { exact: true }).waitFor({ timeout: 20_000 });
    await page.getByRole('button', { name: 'Deliver again' }).waitFor({ state: 'hidden' });
    await toSection(page, 'faults');
    await page.getByRole('slider').fill('0');
    await page.getByRole('button', { name: 'Apply' }).last().click();
    await page.getByText('No random fault is in force any more').waitFor();
    expect(await page.getByText('No fault is in force.').count()).toBe(1);
  });
});
