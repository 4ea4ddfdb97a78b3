import { HubClient } from 'opendelivery-client';
import { createMockHub, type MockHubOptions, scaledClock } from 'opendelivery-client/testing';
import type { BrowserContext, Locator, Page } from 'playwright-core';
import { expect, it, onTestFinished } from 'vitest';
import { startApp } from '../../examples/ordering-app/main.js';
import { isChromiumMissing, withChromium } from '../chromium.js';

/** The page's timers and the hub's clock run this many times as fast. */
const PAGE_SPEED = 20;
const HUB_SPEED = 300;

let browser: BrowserContext;
withChromium(async (started) => {
  browser = started;
  await browser.addInitScript(
    `const inRealTime = setTimeout; setTimeout = (work, ms) => inRealTime(work, ms / ${PAGE_SPEED});`,
  );
});

async function openPage(): Promise<Page> {
  const page = await browser.newPage();
  onTestFinished(async () => void (await page.close()));
  return page;
}

/** The application with a mock hub, on a fast clock. */
async function openShop(options: MockHubOptions = {}, isAutomatic = false) {
  const clock = scaledClock(HUB_SPEED);
  const mock = createMockHub({ clock, unansweredAfterMs: Number.POSITIVE_INFINITY, ...options });
  const hub = new HubClient({
    baseUrl: mock.baseUrl,
    ...mock.credentials,
    fetch: mock.fetch,
    clock,
    timeoutMs: HUB_SPEED * 10_000,
  });
  const app = await startApp(hub, { now: () => clock.now(), isAutomatic });
  onTestFinished(() => void app.stop().catch(() => {})); // in case the test fails earlier
  await app.started;
  return { mock, app };
}

/** Waits until the page has shown two refreshes that it requested after this call. */
async function twoRefreshes(page: Page): Promise<void> {
  const requested = (path: string) => page.waitForRequest((request) => request.url().endsWith(path));
  // It requests the next refresh after it has shown the last one.
  for (let count = 0; count < 3; count += 1) await requested('/live');
}

/** A part of the DOM type, because this project compiles without DOM types. */
interface TextField {
  readonly value: string;
  readonly selectionStart: number;
  readonly selectionEnd: number;
  setSelectionRange(start: number, end: number): void;
}

const cardOf = (page: Page, orderId: string) => page.locator(`[id="order-${orderId}"]`);

const hasFocus = (locator: Locator) =>
  locator.evaluate((element) => element === element.ownerDocument.activeElement);

it.skipIf(isChromiumMissing)(
  'shows a new order, and sends commands on click',
  async () => {
    const [page, { mock, app }] = await Promise.all([openPage(), openShop()]);
    const errors: string[] = [];
    page.on('console', (message) => errors.push(message.text()));
    page.on('pageerror', (error) => errors.push(error.message));
    page.on('dialog', (dialog) => errors.push(dialog.message()));
    await page.goto(app.url);
    await page.getByText('Nenhum pedido ainda.').waitFor();
    await page.evaluate('window.isLoadedOnce = true');

    const name = '<script>alert(1)</script><img src="x" onerror="alert(2)">';
    const { orderId } = mock.createOrder({ customer: { name } });
    const card = cardOf(page, orderId);
    await card.getByText('Novo', { exact: true }).waitFor();
    expect(await card.textContent()).toContain(name);
    expect(await card.locator('script, img').count()).toBe(0);

    await card.getByRole('button', { name: 'Confirmar' }).click();
    await card.getByText('Confirmado', { exact: true }).waitFor();
    await twoRefreshes(page);
    await card.getByText('Cancelar…').click();
    await twoRefreshes(page);
    await card.getByRole('button', { name: 'Solicitar cancelamento' }).click();
    await card.getByText('Cancelado', { exact: true }).waitFor();
    expect(await card.getByRole('button').count()).toBe(0);
    const types = ['CREATED', 'CONFIRMED', 'CANCELLATION_REQUESTED', 'CANCELLED'];
    expect(mock.emitted().map(({ eventType }) => eventType)).toEqual(types);

    expect(await page.evaluate('window.isLoadedOnce')).toBe(true);
    expect(errors).toEqual([]);
    // The page is still open.
    expect(await app.stop()).toMatchObject({ handled: 4, acknowledged: 4, unacknowledged: [] });
    expect(mock.pending()).toEqual([]);
    expect(mock.violations()).toEqual([]);
    await page.getByText('O aplicativo não responde').waitFor();
  },
  120_000,
);

it.skipIf(isChromiumMissing)(
  'keeps a chosen reason, a typed comment, focus, selection and scroll position during refreshes',
  async () => {
    const [page, { mock, app }] = await Promise.all([openPage(), openShop({ cancellation: 'leave' })]);
    await page.setViewportSize({ width: 390, height: 600 });
    const orders = Array.from(
      { length: 4 },
      (_, index) => mock.createOrder({ displayId: `A${index}` }).orderId,
    );
    const [first, , third] = orders as [string, string, string];
    await page.goto(app.url);
    const card = cardOf(page, third);
    const summary = card.getByText('Cancelar…');
    await summary.click();
    await twoRefreshes(page);
    expect(await hasFocus(summary)).toBe(true);
    await card.getByLabel('Motivo').selectOption('ORDER_OUTSIDE_THE_DELIVERY_AREA');
    const comment = card.getByLabel('Comentário');
    await comment.fill('Across the river');
    await comment.evaluate((field) => (field as unknown as TextField).setSelectionRange(2, 6));
    const place = () => card.evaluate((element) => element.getBoundingClientRect().top);
    expect(await page.evaluate('scrollY')).toBeGreaterThan(0);
    const top = await place();
    // While a person types, this order changes, and an order above it moves below it.
    mock.emit('CONFIRMED', { orderId: third });
    mock.emit('CANCELLED', { orderId: first });
    mock.createOrder();
    await card.getByText('Confirmado', { exact: true }).waitFor();
    await page.locator('main > article:last-child', { hasText: 'Cancelado' }).waitFor();
    await twoRefreshes(page);
    expect(await hasFocus(comment)).toBe(true);
    expect(
      await comment.evaluate((field) => {
        const { value, selectionStart, selectionEnd } = field as unknown as TextField;
        return [value, selectionStart, selectionEnd];
      }),
    ).toEqual(['Across the river', 2, 6]);
    // Browsers scroll by whole pixels, but line heights have fractions.
    expect(Math.abs((await place()) - top)).toBeLessThan(1);
    // Enter presses the button of this form, and no other button of the order.
    await page.keyboard.press('Enter');
    await card.getByText('Você solicitou o cancelamento.').waitFor();
    const { body = '' } = mock.requests.find(({ endpoint }) => endpoint === 'orderStatus') ?? {};
    expect(JSON.parse(body)).toEqual({
      code: 'ORDER_OUTSIDE_THE_DELIVERY_AREA',
      reason: 'Across the river',
      mode: 'MANUAL',
    });
    await twoRefreshes(page);
    expect(await hasFocus(card)).toBe(true);

    mock.emit('CANCELLATION_REQUEST_DENIED', { orderId: third });
    await summary.waitFor();
    mock.emit('ORDER_CANCELLATION_REQUEST', { orderId: third });
    const accept = card.getByRole('button', { name: 'Aceitar cancelamento' });
    await accept.focus();
    await twoRefreshes(page);
    expect(await hasFocus(accept)).toBe(true);
    await page.keyboard.press('Enter');
    await card.getByText('Cancelado', { exact: true }).waitFor();
    await twoRefreshes(page);
    expect(await hasFocus(card)).toBe(true);
    expect(mock.emitted().at(-1)).toMatchObject({ eventType: 'CANCELLED', orderId: third });
    expect(mock.violations()).toEqual([]);
  },
  120_000,
);

/** Replaces what makes sounds: counts the rings, and is silent until the person has used the page, as browsers are. */
const COUNT_RINGS = `
  window.tones = 0;
  window.AudioContext = class extends EventTarget {
    state = 'suspended';
    currentTime = 0;
    async resume() { this.state = 'running'; }
  };
  window.OscillatorNode = class { connect(to) { return to; } start() { window.tones += 1; } stop() {} };
  window.GainNode = class {
    gain = { setValueAtTime() {}, exponentialRampToValueAtTime() {} };
    connect(to) { return to; }
  };
`;

it.skipIf(isChromiumMissing)(
  'tells of a new order with a sound, the title of the tab and the screen reader',
  async () => {
    const [page, { mock, app }] = await Promise.all([openPage(), openShop()]);
    await page.addInitScript(COUNT_RINGS);
    await page.goto(app.url);
    const tones = () => page.evaluate('window.tones');
    const title = (text: string) => expect.poll(() => page.title(), { timeout: 20_000 }).toBe(text);
    const status = page.locator('#announcement');
    await title('Pedidos');
    // Before the first click the browser is silent, and the page says so.
    await page.getByText('depois do primeiro clique').waitFor();
    const first = mock.createOrder({ displayId: 'A1' });
    await title('(1) Pedidos');
    await status.getByText('Novo: Pedido A1').waitFor({ state: 'attached' });
    expect(await tones()).toBe(0);
    await page.getByRole('heading', { level: 1 }).click();
    await page.getByText('depois do primeiro clique').waitFor({ state: 'hidden' });
    await expect.poll(tones, { timeout: 20_000 }).toBe(3); // it rings for the one that still waits
    mock.createOrder({ displayId: 'A2' });
    await title('(2) Pedidos');
    await status.getByText('Novo: Pedido A2').waitFor({ state: 'attached' });
    expect(await tones()).toBe(6);
    mock.emit('CONFIRMED', { orderId: first.orderId });
    await title('(1) Pedidos');
    await page.getByLabel('Avisar com som').uncheck();
    mock.createOrder();
    await title('(2) Pedidos');
    expect(await tones()).toBe(6);
    await page.reload();
    expect(await page.getByLabel('Avisar com som').isChecked()).toBe(false);
  },
  120_000,
);

it.skipIf(isChromiumMissing)(
  'prints a ticket on the paper of a receipt printer, without its button',
  async () => {
    const [page, { mock, app }] = await Promise.all([openPage(), openShop()]);
    mock.createOrder({ displayId: 'A1' });
    await page.goto(app.url);
    const [ticket] = await Promise.all([
      page.waitForEvent('popup'),
      page.getByRole('link', { name: 'Imprimir pedido A1' }).click(),
    ]);
    onTestFinished(async () => void (await ticket.close()));
    await ticket.evaluate('window.print = () => { window.isPrinted = true; }');
    await ticket.getByRole('button', { name: 'Imprimir' }).click();
    expect(await ticket.evaluate('window.isPrinted')).toBe(true);
    await ticket.emulateMedia({ media: 'print' });
    expect(await ticket.getByRole('button').count()).toBe(0);
    const pdf = await ticket.pdf({ preferCSSPageSize: true });
    const pages = [...pdf.toString('latin1').matchAll(/\/MediaBox\s*\[0 0 ([\d.]+) ([\d.]+)/g)];
    const [width = 0, height = 0] = pages.flatMap(([, ...points]) =>
      points.map((each) => (Number(each) / 72) * 25.4),
    );
    expect([pages.length, Math.round(width)]).toEqual([1, 80]);
    // As long as the order, and not a page of a printer.
    expect(height).toBeGreaterThan(60);
    expect(height).toBeLessThan(140);
  },
  120_000,
);

it.skipIf(isChromiumMissing).each([375, 1280])(
  'is not wider than a window of %i pixels, and every control has a name',
  async (width) => {
    const [page, { mock, app }] = await Promise.all([openPage(), openShop({ cancellation: 'leave' })]);
    await page.setViewportSize({ width, height: 800 });
    const orders = ['CREATED', 'CONFIRMED', 'READY_FOR_PICKUP', 'DISPATCHED', 'CONCLUDED'].map((type) => {
      const { orderId } = mock.createOrder({ sendPreparing: true, sendDelivered: true });
      if (type !== 'CREATED') mock.emit(type, { orderId });
      return orderId;
    });
    mock.emit('ORDER_CANCELLATION_REQUEST', { orderId: orders[1] as string });
    await page.goto(app.url);
    await page.getByText('O cliente solicitou o cancelamento').waitFor();
    const cards = await page.locator('article').all();
    const boxes = await Promise.all(
      cards.map(async (card) => (await card.boundingBox()) ?? { x: 0, height: 0 }),
    );
    // Narrow, one column; wide, a column for each group, and the cards beside each other are equal.
    expect(new Set(boxes.map(({ x }) => Math.round(x))).size).toBe(width === 375 ? 1 : 5);
    if (width === 1280) expect(new Set(boxes.map(({ height }) => Math.round(height))).size).toBe(1);
    for (const summary of await page.locator('summary').all()) await summary.click();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    const snapshot = await page.locator('body').ariaSnapshot();
    expect(snapshot).not.toMatch(/- (?:button|link|textbox|combobox|checkbox)(?:$|:|\s\[)/m);
    expect(snapshot).toMatch(/heading "Pedidos" \[level=1\][\s\S]*heading "Novos \(1\)" \[level=2\]/);
  },
  120_000,
);

it.skipIf(isChromiumMissing).each([
  [375, 'dark'],
  [1280, 'light'],
] as const)(
  'shows what happened to an order, in a window of %i pixels and %s colours',
  async (width, colorScheme) => {
    const [page, { mock, app }] = await Promise.all([openPage(), openShop({}, true)]);
    const { orderId } = mock.createOrder({ displayId: 'A1' });
    mock.emit('ORDER_WAS_GIVEN_TO_ANOTHER_COURIER_OF_THE_HUB', { orderId });
    await page.goto(app.url);
    await cardOf(page, orderId).getByText('Confirmado', { exact: true }).waitFor();
    const [history] = await Promise.all([
      page.waitForEvent('popup'),
      page.getByRole('link', { name: 'Histórico do pedido A1' }).click(),
    ]);
    onTestFinished(async () => void (await history.close()));
    await history.setViewportSize({ width, height: 800 });
    await history.emulateMedia({ colorScheme });
    await history.getByRole('heading', { name: 'Histórico do pedido A1' }).waitFor();
    const rows = await history.locator('tbody tr').allInnerTexts();
    const INSTANT = String.raw`\d\d/\d\d, \d\d:\d\d:\d\d`;
    for (const [name, result] of [
      ['Evento: Novo', 'Processado'],
      ['Comando automático: Confirmar', 'Aceito pelo hub'],
      ['Evento: Confirmado', 'Processado'],
    ]) {
      const line = new RegExp(`^${INSTANT}\\s+${name}\\s+1\\s+${result} ${INSTANT}$`);
      expect(rows).toContainEqual(expect.stringMatching(line));
    }
    const colours = 'getComputedStyle(document.documentElement).backgroundColor';
    // The heading is there before the style sheet is.
    await expect
      .poll(() => history.evaluate(colours), { timeout: 10_000 })
      .toBe(colorScheme === 'dark' ? 'rgb(20, 21, 23)' : 'rgb(243, 244, 246)');
    expect(await history.evaluate('document.documentElement.scrollWidth')).toBe(width);
  },
  120_000,
);
