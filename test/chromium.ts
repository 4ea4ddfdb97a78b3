import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium } from 'playwright-core';

const CHROMIUM = '/usr/bin/chromium';

/** `.ci/run` sets OPENDELIVERY_REQUIRE_ALL: there a missing browser fails the test, elsewhere it is skipped. */
export const isChromiumMissing = !existsSync(CHROMIUM) && !process.env.OPENDELIVERY_REQUIRE_ALL;

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
export async function startChromium(): Promise<{ browser: BrowserContext; close: () => Promise<void> }> {
  const profile = mkdtempSync(join(tmpdir(), 'chromium-'));
  const browser = await chromium.launchPersistentContext(profile, { executablePath: CHROMIUM, args: FLAGS });
  return {
    browser,
    async close() {
      await browser.close();
      rmSync(profile, { recursive: true, force: true });
    },
  };
}
