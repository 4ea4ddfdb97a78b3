import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as client from 'opendelivery-client';
import * as bullmq from 'opendelivery-client/bullmq';
import * as hosts from 'opendelivery-client/hosts';
import * as menu from 'opendelivery-client/menu';
import * as nestjs from 'opendelivery-client/nestjs';
import * as opentelemetry from 'opendelivery-client/opentelemetry';
import * as redis from 'opendelivery-client/redis';
import * as schemas from 'opendelivery-client/schemas';
import * as sql from 'opendelivery-client/sql';
import * as testing from 'opendelivery-client/testing';
import { globSync } from 'tinyglobby';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string) => readFileSync(root + path, 'utf8');
const manifest = JSON.parse(read('package.json')) as Record<string, Record<string, unknown>>;

/** All files but those that git ignores. A download of the sources has no repository, and git may be missing. */
const FILES = globSync('**', {
  cwd: root,
  dot: true,
  ignore: [
    '.git/**',
    ...read('.gitignore')
      .split('\n')
      .filter(Boolean)
      .map((line) => line.replace(/^\/|\/$/g, ''))
      .flatMap((name) => [`**/${name}`, `**/${name}/**`]),
  ],
});

const names = (list: string) => list.split(' ');

describe('the package', () => {
  it('exports exactly these names', () => {
    expect(Object.keys(client).sort()).toEqual(
      names(
        'ApiError AuthenticationError BadRequestError CartError ClosedError ConfigurationError ConnectionError ENDPOINTS EVENT_TYPES HubClient HubError HubFleet InvalidResponseError LeaseLostError Menu NotFoundError PushRefusedError RateLimitError ResponseTooLargeError ServerError StateError TimeoutError UnexpectedStatusError closeOnSignal diffMerchants fileState isHubError livenessHandler memoryState nextCommands nodeHandler orderProgress readinessHandler systemClock',
      ),
    );
    expect(Object.keys(opentelemetry)).toEqual(['instrument']);
    expect(Object.keys(redis)).toEqual(['redisState']);
    expect(Object.keys(nestjs).sort()).toEqual(names('OnOrderEvent OpenDeliveryHealth OpenDeliveryModule'));
    expect(Object.keys(bullmq)).toEqual(['fleetWorker']);
    expect(Object.keys(hosts).sort()).toEqual(names('food99 ifoodLike keeta pedidos10'));
    expect(Object.keys(sql)).toEqual(['postgresInbox', 'postgresState', 'sqlInbox', 'sqliteInbox']);
    expect(Object.keys(schemas).sort()).toEqual(
      names(
        'availabilitySchema basicInfoSchema categorySchema eventSchema itemOfferSchema itemSchema menuSchema merchantSchema optionGroupSchema optionSchema orderSchema serviceAreaSchema serviceHoursSchema serviceSchema tokenResponseSchema',
      ),
    );
    expect(Object.keys(menu).sort()).toEqual(
      names('CartError ConfigurationError Menu diffMerchants isHubError'),
    );
    expect(Object.keys(testing).sort()).toEqual(
      names('ManualClock createMockHub inboxContract playEvening scaledClock stateContract'),
    );
  });

  it('has four dependencies, and optional peers for the entries and states that use them', () => {
    expect(Object.keys(manifest.dependencies ?? {}).sort()).toEqual(
      names('eventemitter3 p-retry undici zod'),
    );
    expect(manifest.peerDependenciesMeta).toEqual({
      '@modelcontextprotocol/sdk': { optional: true },
      '@nestjs/common': { optional: true },
      '@opentelemetry/api': { optional: true },
      bullmq: { optional: true },
      ioredis: { optional: true },
      'better-sqlite3': { optional: true },
      libsql: { optional: true },
      msw: { optional: true },
      pg: { optional: true },
    });
    expect(Object.keys(manifest.peerDependencies ?? {}).sort()).toEqual(
      names(
        '@modelcontextprotocol/sdk @nestjs/common @opentelemetry/api better-sqlite3 bullmq ioredis libsql msw pg',
      ),
    );
    expect(Object.keys(manifest.exports ?? {})).toEqual(
      names(
        '. ./bullmq ./hosts ./menu ./nestjs ./opentelemetry ./redis ./schemas ./sql ./testing ./package.json',
      ),
    );
    // The first condition that a platform has decides.
    expect(Object.keys(manifest.exports?.['.'] ?? {})).toEqual(names('workerd import require'));
    expect(Object.keys(manifest.imports?.['#undici'] ?? {})).toEqual(names('workerd bun deno default'));
    expect(Object.keys(manifest.typesVersions?.['*'] ?? {})).toEqual(
      names('testing bullmq hosts menu nestjs opentelemetry redis schemas sql'),
    );
    expect(manifest.engines).toEqual({ node: '>=20.18.1' });
  });

  it('contains no path of a machine and no registry', () => {
    expect(FILES.length).toBeGreaterThan(80);
    const places = FILES.filter((path) =>
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
    const sources = FILES.filter(
      (path) =>
        /^(?:test|examples)\/.*\.[cm]?[jt]s$/.test(path) &&
        path !== 'test/package.test.ts' &&
        !path.startsWith('test/bench/'),
    );
    const byName = /\b(?:spawn|exec|execFile|fork)(?:Sync|\))?\(\s*['"`](?:node|npm|npx|tsx|vitest)\b/;
    expect(sources.filter((path) => byName.test(read(path)))).toEqual([]);
  });

  it('has its version in the changelog', () => {
    const { version } = JSON.parse(read('package.json')) as { version: string };
    expect(read('CHANGELOG.md')).toContain(`## ${version}`);
  });
});
