import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, extname, join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type { BrowserContext, Page } from 'playwright-core';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { isChromiumMissing, startChromium } from '../chromium.js';
import { pathOf } from './blocks.js';

const BUILD_TIMEOUT_MS = 240_000;

let site: string;

beforeAll(async () => {
  site = mkdtempSync(join(tmpdir(), 'reference-'));
  // `npm run docs`.
  const { scripts } = JSON.parse(readFileSync(pathOf('package.json'), 'utf8'));
  const docs = pathOf(`node_modules/typedoc/bin/${scripts.docs}`);
  await promisify(execFile)(process.execPath, [docs, '--out', site], { cwd: pathOf('.') });
  return () => rmSync(site, { recursive: true, force: true });
}, BUILD_TIMEOUT_MS);

const pages = () =>
  readdirSync(site, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.html'));

it('has a page for every guide and every entry of the package', () => {
  const { projectDocuments } = JSON.parse(readFileSync(pathOf('typedoc.json'), 'utf8'));
  const guides = readdirSync(pathOf('docs')).filter((name) => name.endsWith('.md'));
  expect(projectDocuments).toEqual(expect.arrayContaining(guides.map((name) => `docs/${name}`)));
  const modules = readdirSync(join(site, 'modules')).sort();
  expect(modules).toEqual([
    'opendelivery-client.html',
    'opendelivery-client_bullmq.html',
    'opendelivery-client_hosts.html',
    'opendelivery-client_menu.html',
    'opendelivery-client_nestjs.html',
    'opendelivery-client_opentelemetry.html',
    'opendelivery-client_redis.html',
    'opendelivery-client_schemas.html',
    'opendelivery-client_sql.html',
    'opendelivery-client_testing.html',
  ]);
});

it('has no link to a page or heading that does not exist', () => {
  const htmlOf = new Map(pages().map((page) => [page, readFileSync(join(site, page), 'utf8')]));
  const anchorsOf = new Map<string, Set<string>>();
  for (const [page, html] of htmlOf) {
    anchorsOf.set(page, new Set([...html.matchAll(/\bid="([^"]+)"/g)].map(([, id = '']) => id)));
  }
  const broken: string[] = [];
  for (const [page, html] of htmlOf) {
    for (const [, link = ''] of html.matchAll(/<a\b[^>]*\bhref="([^"]*)"/g)) {
      if (/^(?:https?:|#?$)/.test(link)) continue;
      const [path = '', anchor] = decodeURI(link.replaceAll('&amp;', '&')).split('#');
      const target = path === '' ? page : relative(site, resolve(site, dirname(page), path));
      const isThere = anchor ? anchorsOf.get(target)?.has(anchor) : existsSync(join(site, target));
      if (!isThere) broken.push(`${page}: ${link}`);
    }
  }
  expect(htmlOf.size).toBeGreaterThan(100);
  expect(broken).toEqual([]);
});

it('links every "Spec §" to the page about the hub', () => {
  const unlinked = pages().filter((page) => {
    const html = readFileSync(join(site, page), 'utf8');
    return /Spec §\d/.test(html.replace(/<a\b[^>]*>[^<]*<\/a>/g, ''));
  });
  expect(unlinked).toEqual([]);
});

describe.skipIf(isChromiumMissing)('in a browser', () => {
  let browser: BrowserContext;
  let url: string;

  beforeAll(async () => {
    const server = createServer((request, response) => {
      const path = decodeURI(new URL(request.url ?? '/', 'http://localhost').pathname);
      const file = join(site, path === '/' ? 'index.html' : path);
      const isThere = path !== '/favicon.ico' && existsSync(file);
      response.writeHead(isThere ? 200 : path === '/favicon.ico' ? 204 : 404, {
        'content-type': TYPES[extname(file)] ?? 'application/octet-stream',
      });
      response.end(isThere ? readFileSync(file) : '');
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const started = await startChromium();
    browser = started.browser;
    return async () => {
      await started.close();
      server.closeAllConnections();
      server.close();
    };
  });

  /** A page of the reference; what the browser complains of is in `complaints`. */
  async function open(path: string): Promise<{ page: Page; complaints: string[] }> {
    const page = await browser.newPage();
    onTestFinished(async () => void (await page.close()));
    const complaints: string[] = [];
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('requestfailed', (request) => complaints.push(request.url()));
    await page.goto(`${url}/${path}`);
    return { page, complaints };
  }

  it.each([
    ['Order', ['displayId', 'items', 'lastEvent', 'payments', 'total']],
    ['OrderItem', ['quantity', 'unitPrice', 'options']],
    ['HubClientOptions', ['baseUrl', 'clientSecret', 'timeoutMs', 'state']],
    ['PollerOptions', ['intervalMs', 'concurrency', 'leaseMs']],
  ])('has a page of %s that describes its fields', async (type, fields) => {
    const { page, complaints } = await open('modules/opendelivery-client.html');
    await page.locator('.col-content').getByRole('link', { name: type, exact: true }).first().click();
    await page
      .getByRole('heading', { name: new RegExp(`^(?:Interface|Type Alias) ${type}(?:<|$)`) })
      .waitFor();
    for (const field of fields) {
      // A field of an interface is a section, a field of a type alias an item of a list.
      const section = page.locator('section.tsd-member, .tsd-type-declaration li').filter({
        has: page.locator('h3, h5').filter({ hasText: new RegExp(`^(?:Readonly|Optional|\\s)*${field}\\b`) }),
      });
      expect(
        (await section.first().locator('.tsd-comment').first().innerText()).length,
        field,
      ).toBeGreaterThan(10);
    }
    expect(complaints).toEqual([]);
  });

  it('finds a type by its name when the reference is opened from a file', async () => {
    const page = await browser.newPage();
    onTestFinished(async () => void (await page.close()));
    await page.goto(pathToFileURL(join(site, 'index.html')).href);
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('combobox').fill('PollerOptions');
    await page.getByRole('option', { name: 'PollerOptions' }).first().click();
    await page.getByRole('heading', { name: 'Interface PollerOptions' }).waitFor();
    expect(page.url()).toMatch(/^file:.*PollerOptions\.html/);
  });

  it.each([390, 1400])('is readable without a script, in a window of %i pixels', async (width) => {
    const { browser: started, close } = await startChromium({ javaScriptEnabled: false });
    onTestFinished(close);
    const page = await started.newPage();
    await page.setViewportSize({ width, height: 800 });
    await page.goto(pathToFileURL(join(site, 'interfaces/opendelivery-client.PollerOptions.html')).href);
    await page.getByRole('heading', { name: 'Interface PollerOptions' }).waitFor();
    await page.getByRole('heading', { name: /intervalMs/ }).waitFor();
    expect(await page.getByText('Loading').count()).toBe(0);
    // A control that only a script could serve is not shown.
    expect(await page.getByRole('button').count()).toBe(0);
    await page.getByRole('link', { name: 'Handle an order event', exact: true }).click();
    await page.getByRole('heading', { name: 'Handle an order event' }).waitFor();
    await page.getByRole('link', { name: 'opendelivery-client/testing', exact: true }).click();
    await page.getByRole('heading', { name: 'Module opendelivery-client/testing' }).waitFor();
  });
});

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.svg': 'image/svg+xml',
};
