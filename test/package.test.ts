import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as client from 'opendelivery-client';
import * as bullmq from 'opendelivery-client/bullmq';
import * as menu from 'opendelivery-client/menu';
import * as redis from 'opendelivery-client/redis';
import * as schemas from 'opendelivery-client/schemas';
import * as testing from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string) => readFileSync(root + path, 'utf8');
const manifest = JSON.parse(read('package.json')) as Record<string, Record<string, unknown>>;

describe('the package', () => {
  it('exports exactly these names', () => {
    expect(Object.keys(client).sort()).toEqual([
      'ApiError',
      'AuthenticationError',
      'BadRequestError',
      'CartError',
      'ClosedError',
      'ConfigurationError',
      'ConnectionError',
      'ENDPOINTS',
      'EVENT_TYPES',
      'HubClient',
      'HubError',
      'HubFleet',
      'InvalidResponseError',
      'LeaseLostError',
      'Menu',
      'NotFoundError',
      'RateLimitError',
      'ResponseTooLargeError',
      'ServerError',
      'StateError',
      'TimeoutError',
      'UnexpectedStatusError',
      'diffMerchants',
      'fileState',
      'isHubError',
      'memoryState',
      'nextCommands',
      'nodeHandler',
      'orderProgress',
      'systemClock',
    ]);
    expect(Object.keys(redis)).toEqual(['redisState']);
    expect(Object.keys(bullmq)).toEqual(['fleetWorker']);
    expect(Object.keys(schemas).sort()).toEqual([
      'availabilitySchema',
      'basicInfoSchema',
      'categorySchema',
      'eventSchema',
      'itemOfferSchema',
      'itemSchema',
      'menuSchema',
      'merchantSchema',
      'optionGroupSchema',
      'optionSchema',
      'orderSchema',
      'serviceAreaSchema',
      'serviceHoursSchema',
      'serviceSchema',
      'tokenResponseSchema',
    ]);
    expect(Object.keys(menu).sort()).toEqual([
      'CartError',
      'ConfigurationError',
      'Menu',
      'diffMerchants',
      'isHubError',
    ]);
    expect(Object.keys(testing).sort()).toEqual([
      'ManualClock',
      'createMockHub',
      'playEvening',
      'scaledClock',
    ]);
  });

  it('has four dependencies, and bullmq, ioredis and msw as optional peers', () => {
    expect(Object.keys(manifest.dependencies ?? {}).sort()).toEqual([
      'eventemitter3',
      'p-retry',
      'undici',
      'zod',
    ]);
    expect(manifest.peerDependenciesMeta).toEqual({
      bullmq: { optional: true },
      ioredis: { optional: true },
      msw: { optional: true },
    });
    expect(Object.keys(manifest.peerDependencies ?? {}).sort()).toEqual(['bullmq', 'ioredis', 'msw']);
    expect(Object.keys(manifest.exports ?? {})).toEqual([
      '.',
      './bullmq',
      './menu',
      './redis',
      './schemas',
      './testing',
      './package.json',
    ]);
    // The first condition that a platform has decides.
    expect(Object.keys(manifest.exports?.['.'] ?? {})).toEqual(['workerd', 'import', 'require']);
    expect(Object.keys(manifest.imports?.['#undici'] ?? {})).toEqual(['workerd', 'bun', 'deno', 'default']);
    expect(Object.keys(manifest.typesVersions?.['*'] ?? {})).toEqual([
      'testing',
      'bullmq',
      'menu',
      'redis',
      'schemas',
    ]);
    expect(manifest.engines).toEqual({ node: '>=20.18.1' });
  });

  it('contains no path of a machine and no registry', () => {
    const tracked = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).trim().split('\n');
    expect(tracked.length).toBeGreaterThan(80);
    const places = tracked.filter((path) =>
      /(?:^|["'\s(])\/(?:root|home|work|Users|tmp)\/|\b(?:registry|mirror)\.[a-z]+\.[a-z]+/m.test(read(path)),
    );
    expect(places).toEqual([]);
  });

  it('has a lock file without registry addresses', () => {
    expect(read('package-lock.json')).not.toMatch(/"resolved"|https?:[^"]*\.tgz/);
    // This setting of the project overrides the user's, so the next npm install keeps them out.
    expect(read('.npmrc').split('\n')).toContain('omit-lockfile-registry-resolved=true');
  });

  it('starts process.execPath in its tests and examples, never a program by its name', () => {
    const sources = execFileSync('git', ['ls-files', 'test', 'examples'], { cwd: root, encoding: 'utf8' })
      .split('\n')
      .filter(
        (path) =>
          /\.[cm]?[jt]s$/.test(path) && path !== 'test/package.test.ts' && !path.startsWith('test/bench/'),
      );
    const byName = /\b(?:spawn|exec|execFile|fork)(?:Sync|\))?\(\s*['"`](?:node|npm|npx|tsx|vitest)\b/;
    expect(sources.filter((path) => byName.test(read(path)))).toEqual([]);
  });

  it('has its version in the changelog', () => {
    const { version } = JSON.parse(read('package.json')) as { version: string };
    expect(read('CHANGELOG.md')).toContain(`## ${version}`);
  });
});
