import { existsSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import { sqliteInbox } from 'opendelivery-client/sql';
import { createMockHub, ManualClock } from 'opendelivery-client/testing';
import { expect, it, onTestFinished } from 'vitest';
import { exits, hubInEnvironment, interrupt, opendelivery } from '../cli/support.js';
import { soon } from '../soon.js';
import { fileWith, served, temporaryDirectory } from '../temporary.js';
import { codeBlocksOf, GUIDES, readText } from './blocks.js';

const manifest = JSON.parse(readText('package.json')) as { name: string; scripts: Record<string, string> };

/** Every line of every shell block, with the guide it is in. */
const commands = GUIDES.flatMap((guide) =>
  codeBlocksOf(readText(guide))
    .filter(({ language }) => language === 'sh')
    .flatMap(({ code }) => code.trim().split('\n'))
    .map((command) => [guide, command] as const),
);

/** How the test runs a command, by its first words. */
const RUNS: ReadonlyArray<readonly [RegExp, (words: string) => Promise<void>]> = [
  [/^npm install (.+)$/, async (name) => expect(name).toBe(manifest.name)],
  [/^npx opendelivery (record\b.*)$/, record],
  [/^(?:npx |node_modules\/.bin\/)opendelivery (mock\b.*)$/, mock],
  [/^npx opendelivery (top\b.*)$/, top],
  [/^npx opendelivery (certify\b[^>]*)(?:> \S+)?$/, certify],
  [/^npx opendelivery (trigger\b.*)$/, trigger],
  [/^npx opendelivery (inbox\b.*)$/, inbox],
  [/^npx opendelivery (.+)$/, look],
  [/^curl (.+)$/, control],
  // test/examples/other-languages.gate.test.ts takes it from the guide.
  [/^(?:python3|php) (.+)$/, async () => {}],
];

it.each(commands)('%s: %s', async (_guide, command) => {
  const [pattern, run] = RUNS.find(([each]) => each.test(command)) ?? [];
  expect(pattern, `no test knows how to run: ${command}`).toBeDefined();
  await run?.(pattern?.exec(command)?.[1] ?? '');
});

/** Serves the mock hub on a free port until it is interrupted. */
async function mock(words: string): Promise<void> {
  const report = join(temporaryDirectory(), 'junit.xml');
  const evening = fileWith(JSON.stringify(EMPTY), 'evening.json');
  const given = words.replace('junit.xml', report).replace('evening.json', evening);
  const ran = opendelivery(`${given} --port 0`);
  await soon(() => expect(ran.out).toContain('control it:'));
  expect(ran.out).toMatch(/HUB_CLIENT_ID=\S+ HUB_CLIENT_SECRET=\S+ HUB_API_KEY=\S+/);
  interrupt();
  expect(await ran.code).toBe(0);
  expect(existsSync(report)).toBe(words.includes('junit.xml'));
}

/** Starts a rehearsal and interrupts it: no application comes. */
async function certify(words: string): Promise<void> {
  const file = join(temporaryDirectory(), 'passed.json');
  const ran = opendelivery(`${words.replace(/--continue \S+/, `--continue ${file}`)} --port 0`);
  await soon(() => expect(ran.err).toContain('HUB_BASE_URL='));
  interrupt();
  expect(await ran.code).toBe(1);
  expect(ran.out).toContain(words.includes('html') ? '<!doctype html>' : '"not seen"');
}

/** Records nothing, at a hub that gets no request. */
async function record(words: string): Promise<void> {
  const file = join(temporaryDirectory(), 'evening.json');
  const ran = opendelivery(`${words.replace('evening.json', file)} --port 0`);
  await soon(() => expect(ran.out).toContain('Ctrl-C'));
  interrupt();
  expect(await ran.code, ran.err).toBe(0);
  expect(existsSync(file)).toBe(true);
}

/** What `record` has written, of an evening without requests. */
const EMPTY = {
  format: 'opendelivery-recording',
  version: 1,
  startedAt: '2026-01-05T18:00:00.000Z',
  durationMs: 0,
  merchants: [],
  orders: [],
  events: [],
  commands: [],
};

/** Shows what a stand-in for the guide's application publishes. */
async function top(words: string): Promise<void> {
  const url = await served((_request, response) => void response.end('{"fleet":{"stores":3}}'));
  const ran = await exits(0, words.replace('http://127.0.0.1:9000', url));
  expect(ran.out).toContain('3 stores');
}

/** Makes a mock hub with one order emit one more event. */
async function trigger(words: string): Promise<void> {
  const hub = createMockHub();
  const { url, close } = await hub.listen();
  onTestFinished(close);
  hub.createOrder();
  await exits(0, `${words} --url ${url}`);
  expect(hub.pending()).toHaveLength(2);
}

/** Reads the tables of an inbox. */
async function inbox(words: string): Promise<void> {
  const path = join(temporaryDirectory(), 'orders.db');
  const database = new Database(path);
  onTestFinished(() => void database.close());
  await sqliteInbox(database).migrate();
  const ran = await exits(0, words.replace('orders.db', path));
  expect(ran.out).not.toBe('');
}

/** Looks at a mock hub that the environment names; files go into a directory of the test. */
async function look(words: string): Promise<void> {
  const { mock: hub, clock } = await hubInEnvironment();
  hub.createOrder();
  const directory = temporaryDirectory();
  const [file] = /[\w-]+\.(?:html|xml|json)$/.exec(words) ?? [];
  const page = join(directory, file ?? 'none');
  if (words.includes('--baseline')) {
    await opendelivery(`doctor --report json --output ${page}`, { clock }).code;
    await clock.advance('1h');
  }
  await exits(0, words.replace(file ?? page, page), { clock });
  expect(existsSync(page)).toBe(file !== undefined);
  expect(hub.pending()).toHaveLength(1);
}

/** Sends what curl would send, to a mock hub with its control API. */
async function control(words: string): Promise<void> {
  const { url, close } = await createMockHub({ clock: new ManualClock() }).listen();
  onTestFinished(close);
  const [, method = 'GET', body, address = ''] = /^(?:-X (\w+) )?(?:-d '([^']+)' )?(\S+)$/.exec(words) ?? [];
  const response = await fetch(address.replace('http://127.0.0.1:4010', url), {
    method,
    ...(body !== undefined && { body }),
  });
  const isDone = /\/(?:faults|clock|reset)$/.test(address); // it creates nothing
  expect(response.status).toBe(method === 'POST' && !isDone ? 201 : 200);
}

it('names only npm scripts that exist', () => {
  for (const file of [...GUIDES, 'README.md', 'README.pt-BR.md', 'SECURITY.md']) {
    for (const [, script = ''] of readText(file).matchAll(/\bnpm run ([\w:-]+)/g)) {
      expect(Object.keys(manifest.scripts), `${file}: npm run ${script}`).toContain(script);
    }
  }
});
