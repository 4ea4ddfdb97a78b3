import { createMockHub, type MockHubOptions, scaledClock } from 'opendelivery-client/testing';
import type { BrowserContext, Locator, Page } from 'playwright-core';
import { onTestFinished } from 'vitest';

export const DESK = { width: 1280, height: 800 };
export const PHONE = { width: 390, height: 844 };

export const SECTIONS = [
  'orders',
  'events',
  'requests',
  'violations',
  'limits',
  'faults',
  'time',
  'menu',
  'script',
];

/** A mock hub in this process, on a clock that the console can move. */
export async function openHub({ port, ...options }: MockHubOptions & { readonly port?: number } = {}) {
  const clock = scaledClock(1);
  const mock = createMockHub({ clock, ...options });
  const { url, close } = await mock.listen({ port, control: true });
  onTestFinished(() => close().catch(() => {}));
  return { mock, clock, url, close };
}

/** Opens the console, at a section of it if `hash` says so, and collects everything that a browser complains about. */
export async function openConsole(browser: BrowserContext, url: string, size = DESK, hash = '') {
  const page = await browser.newPage();
  onTestFinished(async () => void (await page.close()));
  await page.setViewportSize(size);
  const complaints: string[] = [];
  const foreign: string[] = [];
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('dialog', (dialog) => complaints.push(dialog.message()));
  page.on('request', (request) => {
    if (!request.url().startsWith(`${url}/_mock/`) && !request.url().startsWith('data:'))
      foreign.push(request.url());
  });
  await page.goto(`${url}/_mock/ui${hash}`);
  await page
    .getByText('Live', { exact: true })
    .or(page.getByText('Ao vivo', { exact: true }))
    .waitFor({ state: 'attached' });
  return { page, complaints, foreign };
}

export const hasFocus = (locator: Locator) =>
  locator.evaluate((element) => element === element.ownerDocument.activeElement);

export const toSection = async (page: Page, name: string): Promise<void> => {
  await page.locator(`nav a[href="#/${name}"]`).click();
};

/** A client in another process, as far as the hub can see: it polls, confirms one order, and breaks a rule. */
export async function useAsApplication(url: string, clientId: string, clientSecret: string) {
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: clientSecret,
  });
  const token = (await (await fetch(`${url}/opendelivery/oauth/token`, { method: 'POST', body })).json()) as {
    access_token: string;
  };
  const headers = { authorization: `Bearer ${token.access_token}`, 'content-type': 'application/json' };
  const send = (method: string, path: string, json?: unknown) =>
    fetch(`${url}/opendelivery${path}`, {
      method,
      headers,
      ...(json !== undefined && { body: JSON.stringify(json) }),
    });
  return { send };
}

/** Opens an address below the console's, and waits until the section has drawn what the hub has sent. */
export async function toAddress(page: Page, url: string, hash: string): Promise<void> {
  await page.goto(`${url}/_mock/ui#/${hash}`);
  const [name] = hash.split('/');
  await page.locator(`nav a[href="#/${name}"][aria-current]`).waitFor({ state: 'attached' });
  await page.locator('main:not([aria-busy])').waitFor();
  if (hash.startsWith('orders/')) await page.locator('dialog .happened').waitFor();
  if (hash.startsWith('requests/')) await page.locator('.details h4').first().waitFor();
}
