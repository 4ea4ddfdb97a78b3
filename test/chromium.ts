import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium } from 'playwright-core';
import { beforeAll } from 'vitest';
import { isProgramMissing, pathOf } from './program-missing.js';

/** Whether the tests of pages are skipped. */
export const isChromiumMissing = isProgramMissing('chromium');

const FLAGS = [
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-gpu',
  '--disable-quic',
  '--disable-sync',
  '--headless',
  '--no-first-run',
  '--no-sandbox',
];

/** Starts headless Chromium with a new profile; `close` ends it and removes the profile. */
export async function startChromium(
  options: { javaScriptEnabled?: boolean } = {},
): Promise<{ browser: BrowserContext; close: () => Promise<void> }> {
  const profile = mkdtempSync(join(tmpdir(), 'chromium-'));
  const browser = await chromium.launchPersistentContext(profile, {
    executablePath: pathOf('chromium'),
    args: FLAGS,
    // A test that simulates Ctrl-C would end the process of all tests.
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
    ...options,
  });
  return {
    browser,
    async close() {
      await browser.close();
      rmSync(profile, { recursive: true, force: true });
    },
  };
}

/** Gives all tests of a file one browser, if there is one: it takes seconds to start. */
export function withChromium(use: (browser: BrowserContext) => void | Promise<void>): void {
  beforeAll(async () => {
    if (isChromiumMissing) return;
    const { browser, close } = await startChromium();
    await use(browser);
    return close;
  });
}
