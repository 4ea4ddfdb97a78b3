import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import type { IssueAgainst, IssueCode, MenuIssueCode } from 'opendelivery-client';
import * as client from 'opendelivery-client';
import { createMockHub, type MockHubSwitches, type Violation } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { LIFECYCLE_NAMES } from '../../src/engine/lifecycle-events.js';
import { POLLER_DEFAULTS } from '../../src/engine/options.js';
import { WORKER_DEFAULTS } from '../../src/fleet/bullmq/options.js';
import { FLEET_DEFAULTS } from '../../src/fleet/fleet-options.js';
import { DEFAULTS } from '../../src/options/client-options.js';
import { anchorsOf, codeBlocksOf, GUIDES, linksOf, pathOf, readText, withCurrentCode } from './blocks.js';
import { specSectionsOf } from './spec-sections.js';

const PAGES = [...GUIDES, 'README.md', 'README.pt-BR.md', 'CONTRIBUTING.md', 'SECURITY.md'];

/** One task a page: as `wc -w` counts, with its code and tables. */
const MAX_WORDS = 1500;
/** It lists every option and output of a command: it is looked up, not read. */
const REFERENCE = ['docs/command-line.md'];

describe.each(GUIDES)('%s', (file) => {
  it('takes every block of code from a file that a test runs', () => {
    // UPDATE_DOCS=1 writes the current code into it.
    if (process.env.UPDATE_DOCS) writeFileSync(pathOf(file), withCurrentCode(readText(file)));
    const guide = readText(file);
    expect(guide).toBe(withCurrentCode(guide));
    for (const { language, source } of codeBlocksOf(guide)) {
      expect(['ts', 'python', 'php', 'sh', 'sql', 'text', 'yaml']).toContain(language);
      if (!['sh', 'sql', 'text', 'yaml'].includes(language)) expect(source).toMatch(/^(?:examples|test)\//);
    }
  });

  it.skipIf(REFERENCE.includes(file))(`has at most ${MAX_WORDS} words`, () => {
    expect(readText(file).trim().split(/\s+/).length).toBeLessThanOrEqual(MAX_WORDS);
  });

  it('has no anchor twice', () => {
    const anchors = anchorsOf(readText(file));
    expect(anchors.filter((each, at) => anchors.indexOf(each) !== at)).toEqual([]);
  });

  it('is in the index', () => {
    const listed = ['README.md', ...linksOf(readText('docs/README.md'))];
    expect(listed).toContain(file.slice('docs/'.length));
  });
});

it.each(PAGES)('every link of %s leads to a file and a heading', (file) => {
  const leadsNowhere = (link: string) => {
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? file : join(dirname(file), path);
    if (!existsSync(pathOf(target))) return true;
    return anchor !== undefined && !anchorsOf(readText(target)).includes(anchor);
  };
  const links = linksOf(readText(file)).filter((link) => !/^https?:/.test(link));
  expect(links.filter(leadsNowhere)).toEqual([]);
});

it('names in CONTRIBUTING.md only what the linked sources export, in at most 120 lines', () => {
  const text = readText('CONTRIBUTING.md');
  expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(120);
  const links = [...text.matchAll(/\[`(\w+)`\]\((src\/[^)]+)\)/g)];
  expect(links.length).toBeGreaterThan(20);
  const isExported = (name: string, file: string) =>
    new RegExp(`^export (?:async )?(?:class|const|function|interface) ${name}\\b`, 'm').test(readText(file));
  expect(links.filter(([, name = '', file = '']) => !isExported(name, file)).map(([link]) => link)).toEqual(
    [],
  );
});

it('names every option and its default', () => {
  const lines = readText('docs/options.md').split('\n');
  const all = [DEFAULTS, POLLER_DEFAULTS, FLEET_DEFAULTS, WORKER_DEFAULTS];
  for (const [name, value] of all.flatMap((defaults) => Object.entries(defaults))) {
    const row = lines.find((line) => line.startsWith('| `') && line.includes(`\`${name}\``));
    expect(row, name).toBeDefined();
    if (typeof value === 'number' && Number.isFinite(value)) {
      expect(row?.replaceAll(' ', '')).toContain(String(value));
    }
    if (typeof value === 'string') expect(row).toContain(`'${value}'`);
  }
});

it('names every event', () => {
  const guide = readText('docs/event-types.md');
  for (const name of [...client.EVENT_TYPES, ...Object.keys(LIFECYCLE_NAMES), 'deadLetter']) {
    expect(guide, name).toMatch(new RegExp(`^\\| .*\`${name}\`.* \\|$`, 'm'));
  }
  for (const type of client.EVENT_TYPES) {
    expect(readText('docs/the-hub.md'), type).toMatch(new RegExp(`^\\| \`${type}\` \\|`, 'm'));
  }
});

it('names every error', () => {
  const abstract = ['HubError', 'ApiError'];
  const errors = Object.keys(client).filter((name) => name.endsWith('Error') && name !== 'isHubError');
  for (const name of errors.filter((each) => !abstract.includes(each))) {
    expect(readText('docs/errors.md'), name).toMatch(new RegExp(`^\\| \`${name}\` \`[a-z_]+\` +\\|`, 'm'));
  }
});

it('lists every endpoint with its path and limit', () => {
  const page = readText('docs/the-hub.md');
  for (const [name, { method, path, limit, windowMs }] of Object.entries(client.ENDPOINTS)) {
    const window = windowMs === 60_000 ? 'minute' : 'hour';
    const row = page.split('\n').find((line) => line.startsWith(`| \`${name}\` |`));
    expect(row).toContain(`| \`${method} ${path}\` |`);
    expect(row).toContain(`| ${limit} per ${window} |`);
  }
});

/** Of each table with a code or name in its first column: every one there is. The compiler keeps these complete. */
const ISSUES: Readonly<Record<IssueCode, true>> = {
  missing: true,
  defaulted: true,
  null: true,
  coerced: true,
  alias: true,
  unknown_value: true,
  format: true,
  invalid: true,
  left_out: true,
  schema: true,
  duplicate_id: true,
  total: true,
  other_version: true,
  dangling: true,
  duplicate: true,
};
const AGAINST: Readonly<Record<IssueAgainst, true>> = { standard: true, spec: true, sense: true };
const MENU_ISSUES: Readonly<Record<MenuIssueCode, true>> = {
  dangling: true,
  duplicate: true,
  orphan: true,
  unsatisfiable: true,
  unreadable: true,
};
const RULES: Readonly<Record<Violation['rule'], true>> = {
  limit: true,
  'retry-after': true,
  'acknowledgment-size': true,
  'acknowledgment-body': true,
  'content-type': true,
  'unknown-path': true,
  'event-filter': true,
  'command-body': true,
  'command-not-for-this-order': true,
  'host-header': true,
  signature: true,
  'polling-merchants': true,
  'unanswered-order': true,
  'unanswered-cancellation': true,
};
const SWITCHES: Readonly<MockHubSwitches> = {
  emptyPoll: '204',
  badKeyStatus: 401,
  limitHeaders: true,
  windows: 'sliding',
  retryAfter: 'seconds',
  unknownEventStatus: 400,
  repeatedCommandStatus: 422,
  cancellation: 'accept',
  strictBodies: false,
  allowed: false,
  order: 'oldest',
  maxEventsPerPoll: 1000,
  tokenLifetimeMs: 604_800_000,
  expiresIn: 'seconds',
  unansweredAfterMs: 600_000,
  latencyMs: 0,
};

it.each([
  ['docs/issues.md', 'The issues', ISSUES],
  ['docs/issues.md', 'What an issue is against', AGAINST],
  ['docs/menu.md', 'Services, categories, offers', MENU_ISSUES],
  ['docs/mock-violations.md', 'The rules', RULES],
  ['docs/mock-options.md', 'The options', SWITCHES],
])('the table in %s, section %s, names all there are', (file, section, names) => {
  const [, text = ''] = readText(file).split(`\n## ${section}\n`);
  const rows = [...(text.split('\n## ')[0] ?? '').matchAll(/^\| `([^`]+)` \|/gm)].map(([, name]) => name);
  expect(rows.sort()).toEqual(Object.keys(names).sort());
});

it('gives the default of each option of the mock hub', () => {
  const guide = readText('docs/mock-options.md').replaceAll(/(\d) (?=\d)/g, '$1');
  expect(() => createMockHub(SWITCHES)).not.toThrow();
  for (const [name, value] of Object.entries(SWITCHES)) {
    const shown =
      typeof value === 'string' ? `\`'${value}'\`` : typeof value === 'boolean' ? `\`${value}\`` : value;
    expect(guide).toContain(`| \`${name}\` | ${shown} |`);
  }
});

it('names in the sources, the tests and the examples only guides that exist', () => {
  const files = ['src', 'test', 'examples', '.ci'].flatMap(
    (folder) =>
      readdirSync(pathOf(folder), { recursive: true, encoding: 'utf8' })
        .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
        .filter((name) => /\.(?:ts|mts|mjs|md|py|php)$/.test(name) && !name.includes('node_modules'))
        .filter((name) => name !== 'test/packed-files.test.ts'), // its documents are invented
  );
  const named = files.flatMap((file) =>
    [...readText(file).matchAll(/\bdocs\/[\w-]+\.md\b/g)].map(([guide]) => [file, guide] as const),
  );
  expect(named.length).toBeGreaterThan(15);
  expect(named.filter(([, guide]) => !existsSync(pathOf(guide)))).toEqual([]);
});

it('leads every section of the spec that the source names to a heading of a guide', () => {
  const page = readText('docs/the-hub.md');
  const rows = [...page.matchAll(/^\| Spec §([\d.]+) \| \[.+\]\(([\w-]+\.md)?(?:#(.+))?\) \|$/gm)];
  const listed = rows.map(([, section]) => section);
  expect(new Set(listed).size).toBe(listed.length);
  expect(rows.length).toBe(page.match(/^\| Spec §/gm)?.length);
  for (const [, section, guide = 'the-hub.md', anchor] of rows) {
    const anchors = anchorsOf(readText(`docs/${guide}`));
    expect(anchors, section).toContain(anchor ?? anchors[0]);
  }
  const named = specSectionsOf();
  expect(named.length).toBeGreaterThan(15);
  expect(named.filter((section) => !listed.includes(section))).toEqual([]);
});
