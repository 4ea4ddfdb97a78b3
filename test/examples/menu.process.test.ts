/** @module-tag slow */
import { execFile, execFileSync } from 'node:child_process';

import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createMockHub, type MerchantChange } from 'opendelivery-client/testing';
import { expect, it, onTestFinished } from 'vitest';
import { programOf } from '../programs.js';
import { fileWith } from '../temporary.js';

type Draft = Parameters<Extract<MerchantChange, (...args: never[]) => unknown>>[0];

const root = fileURLToPath(new URL('../..', import.meta.url));
const run = (example: string, ...argv: string[]) =>
  execFileSync(process.execPath, [programOf(example), ...argv], { cwd: root, encoding: 'utf8' });

it('examples/read-merchant.ts prints a menu with discounts, what is closed, and issues', () => {
  const open = run('examples/read-merchant.ts', '--at', '2026-01-05T21:00-03:00');
  expect(open).toContain('Margherita: 54.90 BRL, you save 5.00 BRL\n');
  expect(open).not.toContain('closed');
  const merchant = createMockHub().merchant() as Draft;
  merchant.itemOffers[0].status = 'UNAVAILABLE';
  merchant.services[0].menuId = 'nowhere';
  const file = fileWith(JSON.stringify(merchant), 'menu.json');
  const closed = run('examples/read-merchant.ts', '--file', file, '--at', '2026-01-05T12:00-03:00');
  expect(closed).toContain('Margherita: 54.90 BRL, you save 5.00 BRL  [closed: status of the offer]');
  expect(closed).toContain('TAKEOUT  [closed: hours of the service], opens 2026-01-05T20:00:00.000Z');
  expect(closed).toContain('services.0.menuId: menus has no entry with this id');
});

it('examples/price-a-cart.ts names every fault of an invalid cart, and prices a valid one', () => {
  const output = run('examples/price-a-cart.ts');
  expect(output.match(/^ {2}items/gm)).toHaveLength(5);
  expect(output).toContain('total 138.10 BRL, saving 10.00');
});

it('examples/a-menu.ts reads the menu of the hub of the environment, and prices an offer', async () => {
  const mock = createMockHub();
  const { url, close } = await mock.listen();
  onTestFinished(close);
  const env = { ...process.env, HUB_BASE_URL: url, HUB_API_KEY: mock.credentials.apiKey };
  const argv = [programOf('examples/a-menu.ts')];
  const { stdout } = await promisify(execFile)(process.execPath, argv, { cwd: root, env });
  expect(stdout).toMatch(/^Margherita 54.9 (open|closed: \w+)\n1 lines, 109.8 BRL, saving 10\n0 issues/);
});
