import { fileURLToPath } from 'node:url';
import { createContext, runInContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { CartError, ConfigurationError, HubError, isHubError } from 'opendelivery-client';
import type * as entry from 'opendelivery-client/menu';
import { beforeAll, describe, expect, it } from 'vitest';
import { workedExample } from './worked-example.js';

/** The goal: with `gzip -9`, as web servers send it. */
const MAX_BYTES = 12_000;

/** The entry `./menu` as a page would bundle it. */
let bundle: { readonly code: string; readonly inputs: readonly string[] };
beforeAll(async () => {
  const { outputFiles, metafile } = await build({
    entryPoints: [fileURLToPath(new URL('../../src/menu.ts', import.meta.url))],
    bundle: true,
    minify: true,
    platform: 'browser',
    format: 'iife',
    globalName: 'menu',
    metafile: true,
    write: false,
  });
  bundle = { code: outputFiles[0]?.text ?? '', inputs: Object.keys(metafile.inputs) };
});

/** The exports of the bundle, run where no global of Node exists. */
const run = () => runInContext(`${bundle.code};menu`, createContext({})) as typeof entry;

describe('the bundle of ./menu', () => {
  it('contains no module of Node, no dependency and no schema', () => {
    expect(bundle.inputs).toContain('src/menu/cart.ts');
    const others = bundle.inputs.filter((path) => !/^src\/(?:menu|errors)[./]/.test(path));
    expect(others.sort()).toEqual([
      'src/merchant/changed-paths.ts',
      'src/merchant/diff.ts',
      'src/schemas/collections.ts',
    ]);
  });

  it('has at most 12 kB, minified and compressed', () => {
    expect(gzipSync(bundle.code, { level: 9 }).length).toBeLessThanOrEqual(MAX_BYTES);
  });

  it('links, prices and compares without any global of Node', () => {
    const { Menu, diffMerchants } = run();
    const { merchant, request } = workedExample();
    const menu = new Menu(merchant, { timeZone: 'America/Sao_Paulo' });
    expect(menu.issues).toHaveLength(0);
    expect(menu.price(request).total).toMatchObject({ value: 70.5, currency: 'BRL' });
    expect(menu.isAvailable(menu.services[0] as object, new Date('2026-01-05T12:00:00Z').getTime())).toBe(
      true,
    );
    expect([...diffMerchants(merchant, { ...merchant, status: 'UNAVAILABLE' }).root]).toEqual(['status']);
  });

  it('keeps the names of its errors, and isHubError and instanceof of the main entry recognize them', () => {
    const { Menu, isHubError: isHubErrorInBrowser } = run();
    const menu = new Menu(workedExample().merchant);
    const [cart, configuration] = [
      () => menu.priceCart({ items: [] }),
      () => menu.find('x' as never, 'y'),
    ].map((action) => {
      try {
        return action();
      } catch (error) {
        return error;
      }
    });
    expect(cart).toMatchObject({ name: 'CartError', code: 'cart', faults: [{ code: 'empty' }] });
    expect(configuration).toMatchObject({ name: 'ConfigurationError', code: 'configuration' });
    for (const error of [cart, configuration]) {
      expect([isHubError(error), isHubErrorInBrowser(error), error instanceof HubError]).toEqual([
        true,
        true,
        true,
      ]);
    }
    expect([cart instanceof CartError, cart instanceof ConfigurationError]).toEqual([true, false]);
    expect([configuration instanceof CartError, configuration instanceof ConfigurationError]).toEqual([
      false,
      true,
    ]);
    expect(isHubErrorInBrowser(new ConfigurationError('x', 'y'))).toBe(true);
  });
});
