import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as client from 'opendelivery-client';
import { expect, it } from 'vitest';
import { LIFECYCLE_NAMES } from '../../src/events/poller-events.js';
import { POLLER_DEFAULTS } from '../../src/events/poller-options.js';
import { DEFAULTS } from '../../src/options.js';

const pathOf = (file: string) => fileURLToPath(new URL(`../../${file}`, import.meta.url));
const readme = readFileSync(pathOf('README.md'), 'utf8');

/** Code blocks: language, the file one is taken from, text. */
const blocks = [...readme.matchAll(/^```(\w+)(?: file=(\S+))?\n([\s\S]*?)^```$/gm)].map(
  ([, language = '', file, text = '']) => ({ language, file, text }),
);

it('takes every TypeScript block from a file that a test runs', () => {
  const typescript = blocks.filter(({ language }) => language === 'ts');
  expect(typescript.map(({ file }) => file)).toEqual([
    'examples/twenty-lines.ts',
    'examples/with-state.ts',
    'examples/a-menu.ts',
    'test/readme/own-app.test.ts',
  ]);
  let updated = readme;
  for (const { file, text } of typescript) {
    const source = readFileSync(pathOf(file as string), 'utf8');
    updated = updated.replace(`file=${file}\n${text}\`\`\``, `file=${file}\n${source}\`\`\``);
  }
  // UPDATE_README=1 writes the present files into it.
  if (process.env.UPDATE_README) writeFileSync(pathOf('README.md'), updated);
  expect(readFileSync(pathOf('README.md'), 'utf8')).toBe(updated);
});

it('has no other code block than the commands .ci/run executes', () => {
  const others = blocks.filter(({ language }) => language !== 'ts');
  expect(others.map(({ language, text }) => [language, text])).toEqual([
    ['sh', 'npm ci && npm run demo\n'],
    ['sh', 'npm test\n'],
  ]);
});

it('names every option and its default', () => {
  for (const [name, value] of [...Object.entries(DEFAULTS), ...Object.entries(POLLER_DEFAULTS)]) {
    const row = readme.split('\n').find((line) => line.startsWith('| `') && line.includes(`\`${name}\``));
    expect(row, name).toBeDefined();
    if (typeof value === 'number' && Number.isFinite(value)) {
      expect(row?.replaceAll(' ', '')).toContain(String(value));
    }
    if (typeof value === 'string') expect(row).toContain(`'${value}'`);
  }
});

it('names every event and every error', () => {
  for (const name of [...client.EVENT_TYPES, ...LIFECYCLE_NAMES, 'deadLetter']) {
    expect(readme, name).toMatch(new RegExp(`^\\| .*\`${name}\`.* \\|$`, 'm'));
  }
  const abstract = ['HubError', 'ApiError'];
  const errors = Object.keys(client).filter((name) => name.endsWith('Error') && name !== 'isHubError');
  for (const name of errors.filter((each) => !abstract.includes(each))) {
    expect(readme, name).toMatch(new RegExp(`^\\| \`${name}\` \`[a-z_]+\` +\\|`, 'm'));
  }
});
